import type { FastifyBaseLogger } from 'fastify'

type Made = Parameters<FastifyBaseLogger['child']>
type Entry = [object: object, message?: string, ...rest: unknown[]]

/**
 * The logger of one request, made when something is logged through it: hardly any request has anything to say, and
 * a pino child costs as much as routing.
 */
export const lazyChildLogger = (parent: FastifyBaseLogger, ...made: Made): FastifyBaseLogger =>
  new LazyChild(parent, made)

/** A class, as every request has one: what they share is then made once. */
class LazyChild implements FastifyBaseLogger {
  readonly #parent: FastifyBaseLogger
  readonly #made: Made
  #child: FastifyBaseLogger | null = null

  constructor(parent: FastifyBaseLogger, made: Made) {
    this.#parent = parent
    this.#made = made
  }

  get level(): string {
    return this.#parent.level
  }

  child(...made: Made): FastifyBaseLogger {
    return this.#own.child(...made)
  }

  fatal(...entry: unknown[]): void {
    this.#own.fatal(...(entry as Entry))
  }

  error(...entry: unknown[]): void {
    this.#own.error(...(entry as Entry))
  }

  warn(...entry: unknown[]): void {
    this.#own.warn(...(entry as Entry))
  }

  info(...entry: unknown[]): void {
    this.#own.info(...(entry as Entry))
  }

  debug(...entry: unknown[]): void {
    this.#own.debug(...(entry as Entry))
  }

  trace(...entry: unknown[]): void {
    this.#own.trace(...(entry as Entry))
  }

  silent(...entry: unknown[]): void {
    this.#own.silent(...(entry as Entry))
  }

  get #own(): FastifyBaseLogger {
    this.#child ??= this.#parent.child(...this.#made)
    return this.#child
  }
}
