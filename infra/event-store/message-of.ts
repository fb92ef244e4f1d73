/** Text of anything thrown; some errors of EventStoreDB's client have an empty message. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : String(error)
