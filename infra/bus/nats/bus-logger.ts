/** The part of the process's logger that the bus uses; pino's loggers fit. */
export interface BusLogger {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
