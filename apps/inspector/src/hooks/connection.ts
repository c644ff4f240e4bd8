// The daemon that the page is connected to.

import { createContext, useContext } from "react";
import type { Connection } from "../core/connection.ts";

export interface ConnectionValue {
  readonly connection: Connection;
  /** Returns to the connect screen, with the reason if there is one. */
  readonly disconnect: (error?: unknown) => void;
}

export const ConnectionContext = createContext<ConnectionValue | undefined>(undefined);

export function useConnection(): ConnectionValue {
  const value = useContext(ConnectionContext);
  if (value === undefined) throw new Error("useConnection needs a ConnectionContext above it");
  return value;
}
