// Agent Client Protocol over HTTP, server-sent events and WebSocket.

export type { ConnectionOptions } from "./connection.ts";
export {
  AcpTransportError,
  AgentExitedError,
  ConnectionClosedError,
  DeliveryError,
  HttpStatusError,
  JsonRpcError,
  type Outcome,
  OverflowError,
  ProtocolError,
  ResponseLostError,
} from "./errors.ts";
export type {
  AgentExit,
  ClosedEvent,
  CloseReason,
  ExitEvent,
  GapEvent,
  ReconnectedEvent,
  ReconnectingEvent,
  TransportEvent,
  UndeliveredEvent,
  UnknownEvent,
  UnparsedEvent,
} from "./events.ts";
export type {
  JsonRpcErrorObject,
  JsonRpcId,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
} from "./jsonrpc.ts";
export { AcpPeer, type IncomingContext, type PeerOptions, type RequestOptions } from "./peer.ts";
export { type AcpStream, openStream } from "./stream.ts";
export type { Delivery, Transport, TransportSink } from "./transport.ts";
export type { HeaderSource } from "./transports/endpoint.ts";
export { type HttpTransportOptions, httpTransport } from "./transports/http.ts";
export { SocketClosedError, type WebSocketConstructor } from "./transports/socket.ts";
export { type StandardHttpTransportOptions, standardHttpTransport } from "./transports/standard-http.ts";
export {
  type SocketOptions,
  standardWebSocketTransport,
  type WebSocketTransportOptions,
  webSocketTransport,
} from "./transports/web-socket.ts";
