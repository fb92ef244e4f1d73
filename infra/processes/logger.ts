import { type DestinationStream, type Logger, pino } from 'pino'
import type { LogLevel } from './config.ts'

/** Header and field names whose values never reach a log. */
const SECRETS = ['authorization', 'cookie', 'key', 'password', 'proxy', 'secret', 'token']

/** One JSON line per entry, on standard error by default; what is printed for people goes to standard output. */
export const openLogger = (
  level: LogLevel,
  to: DestinationStream = pino.destination({ dest: 2, sync: false }),
): Logger =>
  pino(
    {
      level,
      base: null,
      redact: {
        paths: SECRETS.flatMap((name) => [name, `*.${name}`, `req.headers.${name}`]),
        censor: '[hidden]',
      },
    },
    to,
  )
