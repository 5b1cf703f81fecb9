/*
 * The convolution of the 2025 study (wasm-image) as one would write it in plain C: directly in two dimensions, on
 * interleaved 8-bit RGB, in doubles. Taps outside the image are skipped, which is zero padding.
 *
 * The same file is compiled without optimisation (study-o0.wasm, as the study published) and with (study-o3.wasm, its
 * honest twin). It is deliberately not clever; this project's own kernels are in servers/kernels.
 *
 * Freestanding: no library, no allocation. The host grows the exported memory and puts the buffers above __heap_base.
 */

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

/* What `convolve` answers. */
enum { DONE = 0, BAD_SIZE = 1, BAD_KERNEL = 2, BAD_ROWS = 3, BAD_BUFFER = 4 };

#define CHANNELS 3
#define EXPORT(name) __attribute__((export_name(#name))) name

extern u8 __heap_base;

/* Whether `length` bytes from `start` on lie in the memory that is the host's. */
static int is_ours(u32 start, u64 length) {
    u64 end = (u64)__builtin_wasm_memory_size(0) * 65536;
    return start >= (u32)&__heap_base && start + length <= end;
}

static int overlap(u32 a, u64 a_length, u32 b, u64 b_length) {
    return a < b + b_length && b < a + a_length;
}

/* Adds `half`, cuts the fraction off and clamps to 0..255. */
static u8 to_sample(double sum, double half) {
    sum += half;
    if (!(sum > 0.0)) {
        return 0;
    }
    return sum >= 255.0 ? 255 : (u8)sum;
}

static void convolve_rows(const u8 *image, u8 *output, int width, int height, const double *kernel, int size,
                          int first_row, int end_row, double half) {
    int radius = size / 2;
    for (int y = first_row; y < end_row; y++) {
        for (int x = 0; x < width; x++) {
            double red = 0.0;
            double green = 0.0;
            double blue = 0.0;
            for (int j = -radius; j <= radius; j++) {
                int row = y + j;
                if (row < 0 || row >= height) {
                    continue;
                }
                for (int i = -radius; i <= radius; i++) {
                    int column = x + i;
                    if (column < 0 || column >= width) {
                        continue;
                    }
                    const u8 *pixel = image + (row * width + column) * CHANNELS;
                    double weight = kernel[(j + radius) * size + (i + radius)];
                    red += pixel[0] * weight;
                    green += pixel[1] * weight;
                    blue += pixel[2] * weight;
                }
            }
            u8 *target = output + (y * width + x) * CHANNELS;
            target[0] = to_sample(red, half);
            target[1] = to_sample(green, half);
            target[2] = to_sample(blue, half);
        }
    }
}

/*
 * Convolves the rows first_row .. end_row of an RGB image of width x height pixels by a square kernel of size x size
 * doubles into `output`, which has the size of the whole image: several callers can share one image, a band each.
 *
 * `half` is 0.5 to round half up, as every server of this project does and as the study's JavaScript did. The study's
 * C truncated, so that about half of its bytes were one less: that is `half` = 0.
 *
 * Answers one of the codes above; nothing is written unless it is DONE.
 */
int EXPORT(convolve)(u32 image, u32 output, u32 width, u32 height, u32 kernel, u32 size, u32 first_row, u32 end_row,
                     double half) {
    /* At most 2^28 pixels and 2^15 rows of the kernel: no index above overflows an int. */
    u64 pixels = (u64)width * height;
    if (width == 0 || height == 0 || pixels > 1u << 28) {
        return BAD_SIZE;
    }
    if (size % 2 == 0 || size > 1u << 15) {
        return BAD_KERNEL;
    }
    if (first_row > end_row || end_row > height) {
        return BAD_ROWS;
    }
    u64 bytes = pixels * CHANNELS;
    u64 kernel_bytes = (u64)size * size * sizeof(double);
    if (!is_ours(image, bytes) || !is_ours(output, bytes) || !is_ours(kernel, kernel_bytes) ||
        kernel % sizeof(double) != 0 || overlap(image, bytes, output, bytes) ||
        overlap(kernel, kernel_bytes, output, bytes)) {
        return BAD_BUFFER;
    }
    convolve_rows((const u8 *)image, (u8 *)output, (int)width, (int)height, (const double *)kernel, (int)size,
                  (int)first_row, (int)end_row, half);
    return DONE;
}
