// Agent Client Protocol over HTTP.
export {};
