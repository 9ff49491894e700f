import { connect, isIP, type Socket } from "node:net";
import { connect as connectSafely } from "node:tls";
import type { ISocketFactory } from "kafkajs";

const keepAliveMs = 60_000;

/** Sockets as kafkajs makes them itself, but that they wait for nothing; `onClosed` is called whenever one of them has ended, whoever ended it. */
export function watchedSockets(onClosed: () => void): ISocketFactory {
  return ({ host, port, ssl, onConnect }) => {
    const socket = open({ host, port, ssl, onConnect });
    socket.setKeepAlive(true, keepAliveMs);
    // Otherwise the end of what is large waits for the other side to acknowledge the rest, which it delays.
    socket.setNoDelay(true);
    socket.once("close", onClosed);
    return socket;
  };
}

function open({ host, port, ssl, onConnect }: Parameters<ISocketFactory>[0]): Socket {
  // The type says otherwise, but without TLS there are no options for it.
  if (!(ssl as unknown)) return connect({ host, port }, onConnect);
  const name = isIP(host) === 0 ? { servername: host } : {};
  return connectSafely({ host, port, ...name, ...ssl }, onConnect);
}
