"""Stands in for the Pods of an operator, of which no container runs: takes the address of its Service, and
answers webhooks there, and what the API server asks of an APIService, with the certificate that is in a folder,
read anew for each connection."""

import fcntl
import http.server
import json
import socket
import ssl
import struct
import sys
import threading

SET_ADDRESS = 0x8916
SET_MASK = 0x891C


def take(address):
    """Adds an address to the loopback. Without the mask, the kernel would route all of 10.0.0.0/8 there, which may
    include the name server of the machine."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for request, value in [(SET_ADDRESS, address), (SET_MASK, "255.255.255.255")]:
            name = struct.pack("16s", b"lo:1")
            ip = struct.pack("H2s4s8s", socket.AF_INET, b"", socket.inet_aton(value), b"")
            fcntl.ioctl(any_socket, request, name + ip)


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def setup(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        folder = self.server.folder
        context.load_cert_chain(folder + "/tls.crt", folder + "/tls.key")
        self.request = context.wrap_socket(self.request, server_side=True)
        super().setup()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        review = json.loads(body)
        request = review.pop("request")
        review["response"] = {"uid": request["uid"]}
        if review["kind"] == "ConversionReview":
            for converted in request["objects"]:
                converted["apiVersion"] = request["desiredAPIVersion"]
            review["response"] |= {"result": {"status": "Success"}, "convertedObjects": request["objects"]}
        else:
            review["response"]["allowed"] = True
        self.answer(200, review)
        print("asked:", review["kind"], flush=True)

    def do_GET(self):
        [_, prefix, *rest] = self.path.split("?")[0].split("/")
        if prefix != "apis" or len(rest) != 2:
            self.answer(404, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 404})
            return
        version = "/".join(rest)
        # One that nobody lists, so that nobody waits for it: not who deletes namespaces, not who collects garbage.
        tides = {"name": "tides", "singularName": "tide", "namespaced": True, "kind": "Tide", "verbs": ["get"]}
        self.answer(200, {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version, "resources": [tides]})

    def answer(self, code, body):
        answer = json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def serve(address, port, folder):
    server = http.server.ThreadingHTTPServer((address, port), Answers)
    server.folder = folder
    server.serve_forever()


address, folder, *ports = sys.argv[1:]
take(address)
threads = [threading.Thread(target=serve, args=(address, int(port), folder)) for port in ports]
for thread in threads:
    thread.start()
