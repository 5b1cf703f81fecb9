// The least that any client can do: connections, requests, answers of a known length. Nothing is parsed, checked or timed, so no load
// generator that sends one request at a time on each connection takes less.
//
// bare PORT CONNECTIONS REQUESTS

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

static const char request[] = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
static char answer[65536];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void ask(int connection) {
    if (send(connection, request, sizeof request - 1, 0) < 0) fail("send");
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static int connection_to(int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int connection = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    if (connect(connection, (struct sockaddr *)&address, sizeof address)) fail("connect");
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return connection;
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "bare PORT CONNECTIONS REQUESTS\n");
        return 2;
    }
    int connections = atoi(arguments[2]), epoll = epoll_create1(0);
    long requests = atol(arguments[3]), sent = 0, ended = 0, length = 0;
    for (int i = 0; i < connections; i++) {
        int connection = connection_to(atoi(arguments[1]));
        struct epoll_event event = {.events = EPOLLIN, .data.fd = connection};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, connection, &event)) fail("epoll_ctl");
        if (i == 0) { // how long an answer is
            ask(connection);
            length = recv(connection, answer, sizeof answer, 0);
        }
        if (sent++ < requests) ask(connection);
    }
    double begun = now();
    struct epoll_event events[256];
    while (ended < requests) {
        int ready = epoll_wait(epoll, events, 256, -1);
        if (ready < 0) fail("epoll_wait");
        for (int i = 0; i < ready; i++) {
            if (recv(events[i].data.fd, answer, sizeof answer, 0) != length) fail("an answer of another length");
            ended++;
            if (sent++ < requests) ask(events[i].data.fd);
        }
    }
    printf("%ld answers, %.1f requests/s\n", ended, ended / (now() - begun));
    return 0;
}
