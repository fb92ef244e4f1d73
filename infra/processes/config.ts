import { resolve } from 'node:path'
import type { RateLimit } from '@tollgate/command-api/identity/rate-limiter.ts'
import { addressProblem } from '../event-store/eventstoredb/address.ts'
import { z } from 'zod'

/**
 * The settings of the environment, read here and nowhere else. docs/configuration.md has the same table for people. An
 * empty variable counts as not set.
 */
export interface Config {
  /** Address to listen on. */
  readonly host: string
  readonly port: number
  /** Absolute path; everything that Tollgate keeps on this machine lies in it. */
  readonly dataDir: string
  /** Event log in EventStoreDB / KurrentDB; null = in PostgreSQL. */
  readonly eventStoreUrl: string | null
  /** PostgreSQL for identity, secrets and read models; null = the embedded one. */
  readonly databaseUrl: string | null
  /** NATS between processes, several servers separated by commas; null = everything in one process. */
  readonly natsUrl: string | null
  /** Absolute path of a NATS credentials file; null = the credentials in the address, if any. */
  readonly natsCredsFile: string | null
  /** On how many servers of the NATS cluster consumption events are stored. */
  readonly natsReplicas: number
  /** Bytes of consumption events that wait for the ledger, at most; beyond it new requests are turned away. */
  readonly natsUsageBytesMax: number
  /** Relays on one port, each on a core of its own; of a relay process. */
  readonly relayWorkers: number
  /** 32 bytes that encrypt secrets at rest; null = a generated key file in the data folder. */
  readonly masterKey: Buffer | null
  readonly logLevel: LogLevel
  /** Addresses and ranges whose forwarded headers are believed. */
  readonly trustedProxies: readonly string[]
  /** Bytes of a relay request's body, decompressed. */
  readonly relayBodyBytesMax: number
  /** Whether everybody who registers gets a token to begin with. */
  readonly isFirstTokenGiven: boolean
  /** How often the ledger is sealed; null = only on demand. */
  readonly ledgerSealMs: number | null
  /** Notices of one type that a user gets within a window. */
  readonly noticeLimit: { readonly count: number; readonly windowMs: number }
  /** How often all channels are tested and their balances read (null = only when asked for), and the pause between two of them. */
  readonly channelCare: {
    readonly testEveryMs: number | null
    readonly balanceEveryMs: number | null
    readonly pauseMs: number
  }
  /** Address of the newest release; null = no update check. */
  readonly releasesUrl: string | null
  /** Calls of the console API, and pages of the console, per client address; null = no limit. */
  readonly apiLimit: RateLimit | null
  readonly webLimit: RateLimit | null
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** A variable of the environment cannot be used; the message names it, what is wrong, and an example. */
export class ConfigInvalid extends Error {
  readonly code = 'CONFIG_INVALID'
  readonly retryable = false
  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'ConfigInvalid'
  }
}

/** Reads and checks the environment; throws ConfigInvalid with every problem at once. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    VARIABLES.map((name) => [name, env[name]?.trim() === '' ? undefined : env[name]?.trim()]),
  )
  const parsed = environment.safeParse(given)
  if (!parsed.success) throw new ConfigInvalid(parsed.error.issues.map(problemOf))
  const values = parsed.data
  return {
    host: values.HOST,
    port: values.PORT,
    dataDir: resolve(values.DATA_DIR),
    eventStoreUrl: values.EVENTSTORE_URL ?? null,
    databaseUrl: values.DATABASE_URL ?? null,
    natsUrl: values.NATS_URL ?? null,
    natsCredsFile: values.NATS_CREDS === undefined ? null : resolve(values.NATS_CREDS),
    natsReplicas: values.NATS_REPLICAS,
    natsUsageBytesMax: values.NATS_USAGE_MAX_MB * 1024 * 1024,
    relayWorkers: values.RELAY_WORKERS,
    masterKey: values.MASTER_KEY === undefined ? null : Buffer.from(values.MASTER_KEY, 'base64'),
    logLevel: values.LOG_LEVEL,
    trustedProxies: values.TRUSTED_PROXIES,
    relayBodyBytesMax: values.RELAY_BODY_MAX_MB * 1024 * 1024,
    isFirstTokenGiven: values.GENERATE_DEFAULT_TOKEN,
    ledgerSealMs: everyMs(values.LEDGER_SEAL_MINUTES),
    noticeLimit: {
      count: values.NOTIFY_LIMIT_COUNT,
      windowMs: values.NOTIFICATION_LIMIT_DURATION_MINUTE * 60_000,
    },
    channelCare: {
      testEveryMs: everyMs(values.CHANNEL_TEST_FREQUENCY),
      balanceEveryMs: everyMs(values.CHANNEL_UPDATE_FREQUENCY),
      pauseMs: values.POLLING_INTERVAL * 1_000,
    },
    releasesUrl: values.RELEASES_URL ?? null,
    apiLimit: limitOf(
      values.GLOBAL_API_RATE_LIMIT_ENABLE,
      values.GLOBAL_API_RATE_LIMIT,
      values.GLOBAL_API_RATE_LIMIT_DURATION,
    ),
    webLimit: limitOf(
      values.GLOBAL_WEB_RATE_LIMIT_ENABLE,
      values.GLOBAL_WEB_RATE_LIMIT,
      values.GLOBAL_WEB_RATE_LIMIT_DURATION,
    ),
  }
}

/** 0 = never. */
const everyMs = (minutes: number): number | null => (minutes === 0 ? null : minutes * 60_000)

const limitOf = (isOn: boolean, attempts: number, seconds: number): RateLimit | null =>
  isOn ? { attempts, windowMs: seconds * 1000 } : null

const EXAMPLES = {
  HOST: '127.0.0.1, or 0.0.0.0 to be reached from other machines',
  PORT: '3000',
  DATA_DIR: '/var/lib/tollgate',
  EVENTSTORE_URL: 'esdb://127.0.0.1:2113?tls=false',
  DATABASE_URL: 'postgres://tollgate:secret@127.0.0.1:5432/tollgate',
  NATS_URL: 'nats://127.0.0.1:4222',
  NATS_CREDS: '/etc/tollgate/nats.creds',
  NATS_REPLICAS: '3',
  NATS_USAGE_MAX_MB: '1024',
  RELAY_WORKERS: '4',
  MASTER_KEY: 'the output of: openssl rand -base64 32',
  LOG_LEVEL: 'info',
  TRUSTED_PROXIES: '10.0.0.0/8,127.0.0.1',
  RELAY_BODY_MAX_MB: '32',
  GENERATE_DEFAULT_TOKEN: 'true, or false',
  LEDGER_SEAL_MINUTES: '60, or 0 to seal on demand alone',
  NOTIFY_LIMIT_COUNT: '2',
  NOTIFICATION_LIMIT_DURATION_MINUTE: '10',
  CHANNEL_TEST_FREQUENCY: '30, or 0 to test on demand alone',
  CHANNEL_UPDATE_FREQUENCY: '60, or 0 to read balances on demand alone',
  POLLING_INTERVAL: '1, or 0 for no pause',
  RELEASES_URL: 'https://releases.example.com/tollgate/latest.json',
  GLOBAL_API_RATE_LIMIT_ENABLE: 'true',
  GLOBAL_API_RATE_LIMIT: '180',
  GLOBAL_API_RATE_LIMIT_DURATION: '180',
  GLOBAL_WEB_RATE_LIMIT_ENABLE: 'true',
  GLOBAL_WEB_RATE_LIMIT: '60',
  GLOBAL_WEB_RATE_LIMIT_DURATION: '180',
} as const

/** Names of all variables that are read; docs/configuration.md and .env.example list the same. */
export const VARIABLES = Object.keys(EXAMPLES) as (keyof typeof EXAMPLES)[]

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'is not a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `is below ${min}`).max(max, `is above ${max}`))

const isAddress = (text: string, schemes: readonly string[]): boolean =>
  schemes.some((scheme) => text.startsWith(`${scheme}://`)) && URL.canParse(text)

const begins = (schemes: readonly string[]): string => schemes.map((s) => `${s}://`).join(' or ')

const address = (schemes: readonly string[]) =>
  z.string().refine((text) => isAddress(text, schemes), {
    message: `is not an address that begins with ${begins(schemes)}`,
  })

/** One or several addresses separated by commas. */
const addresses = (schemes: readonly string[]) =>
  z.string().refine((text) => text.split(',').every((one) => isAddress(one.trim(), schemes)), {
    message: `holds something that is not an address that begins with ${begins(schemes)}`,
  })

const trueOrFalse = z
  .enum(['true', 'false'], 'is neither true nor false')
  .transform((text) => text === 'true')

const DAY_MINUTES = 1_440
const DAY_SECONDS = 86_400
/** The moment of every attempt is kept, per client address. */
const ATTEMPTS_MAX = 10_000

const environment = z.object({
  HOST: z.string().regex(/^\S+$/, 'has spaces in it').default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3000),
  DATA_DIR: z.string().default('.data'),
  EVENTSTORE_URL: z
    .string()
    .superRefine((text, context) => {
      const message = addressProblem(text)
      if (message !== null) context.addIssue({ code: 'custom', message })
    })
    .optional(),
  DATABASE_URL: address(['postgres', 'postgresql']).optional(),
  NATS_URL: addresses(['nats', 'tls']).optional(),
  NATS_CREDS: z.string().optional(),
  NATS_REPLICAS: wholeNumber(1, 5).default(1),
  NATS_USAGE_MAX_MB: wholeNumber(1, 1024 * 1024).default(1024),
  RELAY_WORKERS: wholeNumber(1, 64).default(1),
  MASTER_KEY: z
    .string()
    .refine((text) => Buffer.from(text, 'base64').length === 32, 'is not 32 bytes in base64')
    .optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS, `is not one of ${LOG_LEVELS.join(', ')}`).default('info'),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .pipe(
      z.array(
        z
          .string()
          .regex(
            /^[0-9a-fA-F.:]+(\/\d{1,3})?$/,
            'holds something that is no address or CIDR range',
          ),
      ),
    ),
  RELAY_BODY_MAX_MB: wholeNumber(1, 1024).default(32),
  GENERATE_DEFAULT_TOKEN: trueOrFalse.default(false),
  // At most a week: setInterval holds no more than 24 days.
  LEDGER_SEAL_MINUTES: wholeNumber(0, 10_080).default(60),
  NOTIFY_LIMIT_COUNT: wholeNumber(1, 1_000).default(2),
  NOTIFICATION_LIMIT_DURATION_MINUTE: wholeNumber(1, DAY_MINUTES).default(10),
  CHANNEL_TEST_FREQUENCY: wholeNumber(0, 10_080).default(0),
  CHANNEL_UPDATE_FREQUENCY: wholeNumber(0, 10_080).default(0),
  POLLING_INTERVAL: wholeNumber(0, 3_600).default(0),
  RELEASES_URL: address(['https', 'http']).optional(),
  GLOBAL_API_RATE_LIMIT_ENABLE: trueOrFalse.default(true),
  GLOBAL_API_RATE_LIMIT: wholeNumber(1, ATTEMPTS_MAX).default(180),
  GLOBAL_API_RATE_LIMIT_DURATION: wholeNumber(1, DAY_SECONDS).default(180),
  GLOBAL_WEB_RATE_LIMIT_ENABLE: trueOrFalse.default(true),
  GLOBAL_WEB_RATE_LIMIT: wholeNumber(1, ATTEMPTS_MAX).default(60),
  GLOBAL_WEB_RATE_LIMIT_DURATION: wholeNumber(1, DAY_SECONDS).default(180),
})

function problemOf(issue: z.core.$ZodIssue): string {
  const name = String(issue.path[0]) as keyof typeof EXAMPLES
  return `${name} ${issue.message}. Example: ${name}=${EXAMPLES[name]}`
}
