// nginx as the load balancer in front of several servers: its configuration, and a port for it.

import { createServer, isIPv6 } from "node:net";

const NO_METRICS = JSON.stringify({ type: "about:blank", title: "Not Found", status: 404, detail: "there is nothing at /metrics" });

/** What a host and a port look like in an address. */
export const authority = (host, port) => `${isIPv6(host) ? `[${host}]` : host}:${port}`;

/**
 * The configuration of an nginx at `address` that deals requests round-robin to servers on the `ports` of 127.0.0.1 and keeps its files in `folder`.
 *
 * - One worker: it takes a few percent of a CPU where jobs take milliseconds, and several would each deal in a round of their own.
 * - Connections to the servers are kept (`keepalive`), so that light requests do not run out of ports; which server is next does not depend on it.
 * - Nothing times out, and no request is sent twice: a server that is busy for minutes is not a server that failed.
 * - Bodies are passed on as they come, so that nothing is written to files.
 * - There is no /metrics: each server would tell of itself alone.
 */
export function configuration(folder, address, ports) {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((what) => `${what}_temp_path ${folder}/${what};`);
  return `
daemon off; worker_processes 1; error_log stderr warn; pid ${folder}/pid;
events { worker_connections 8192; }
http {
  access_log off; server_tokens off; ${temporary.join(" ")}
  client_header_timeout 1d; client_body_timeout 1d; send_timeout 1d; keepalive_timeout 1d; keepalive_requests 1000000000;
  client_max_body_size 0; proxy_request_buffering off; proxy_max_temp_file_size 0;
  upstream loops {
    ${ports.map((port) => `server 127.0.0.1:${port} max_fails=0;`).join(" ")}
    keepalive 1024; keepalive_requests 1000000000; keepalive_timeout 1d;
  }
  server {
    listen ${address} backlog=1024;
    location = /metrics { default_type application/problem+json; return 404 '${NO_METRICS}'; }
    location / {
      proxy_pass http://loops; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_connect_timeout 1d; proxy_send_timeout 1d; proxy_read_timeout 1d; proxy_next_upstream off;
    }
  }
}
`;
}

/** A port of the host that nobody listens on: the one asked for, or any if that is 0, which nginx does not take. */
export function freePort(host, port) {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen({ host, port }, () => {
      const found = probe.address().port;
      probe.close(() => resolve(found));
    });
  });
}
