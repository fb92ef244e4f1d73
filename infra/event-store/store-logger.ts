/** The part of the process's logger that an event store uses; pino's loggers fit. */
export interface StoreLogger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
