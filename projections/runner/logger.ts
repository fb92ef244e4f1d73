/** Where the runner tells what happens; pino's loggers fit. */
export interface RunnerLogger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
