// The part of `ws` that tests use: it comes with the servers, its types don't.
declare module 'ws' {
  export const WebSocket: typeof globalThis.WebSocket
  export type WebSocket = InstanceType<typeof globalThis.WebSocket>
  export class WebSocketServer {
    constructor(options: { server?: import('node:http').Server; port?: number })
    on(event: 'connection', listener: (socket: unknown, request: import('node:http').IncomingMessage) => void): void
    close(): void
    readonly clients: Set<{ terminate(): void }>
  }
}
