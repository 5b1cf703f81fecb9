/* The same recursion in C, with both calls kept: the same protocol as servers/examples/contenders.rs. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) static uint64_t fib(uint32_t n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

int main(int count, char **arguments) {
    uint32_t n = count > 1 ? (uint32_t)atoi(arguments[1]) : 32;
    char line[64];
    volatile uint64_t sink;
    puts("fib c");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        double begun = now_ms();
        sink = fib(n);
        printf("%.6f\n", now_ms() - begun);
        fflush(stdout);
    }
    (void)sink;
    return 0;
}
