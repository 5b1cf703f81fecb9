"""OpenCV's side of the benchmark, on one thread. The protocol is that of contender.mjs."""

import sys
import time

import cv2
import numpy

cv2.setNumThreads(1)
photo = numpy.fromfile(sys.argv[1], numpy.uint8)
column = cv2.getGaussianKernel(7, 7)
square = column @ column.T


def request(convolve):
    image = convolve(cv2.imdecode(photo, cv2.IMREAD_COLOR))
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 80])[1].tobytes()


zero = cv2.BORDER_CONSTANT
contenders = {
    "opencv filter2D": lambda image: cv2.filter2D(image, -1, square, borderType=zero),
    "opencv sepFilter2D": lambda image: cv2.sepFilter2D(image, -1, column, column, borderType=zero),
}
print("\t".join(contenders), flush=True)
for line in sys.stdin:
    begun = time.perf_counter()
    request(contenders[line.rstrip("\n")])
    print((time.perf_counter() - begun) * 1e3, flush=True)
