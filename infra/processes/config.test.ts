import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ConfigInvalid, readConfig, VARIABLES } from './config.ts'

describe('given an environment, when it is read,', () => {
  test('then nothing set gives the embedded defaults', () => {
    const config = readConfig({})
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      eventStoreUrl: null,
      databaseUrl: null,
    })
    expect(config.dataDir.endsWith('.data')).toBe(true)
  })

  test('then NATS may be several servers, with credentials from a file', () => {
    const config = readConfig({
      NATS_URL: 'nats://a:4222, nats://user:secret@b:4222',
      NATS_CREDS: '/etc/tollgate/nats.creds',
      NATS_USAGE_MAX_MB: '2',
    })
    expect(config).toMatchObject({
      natsUrl: 'nats://a:4222, nats://user:secret@b:4222',
      natsCredsFile: '/etc/tollgate/nats.creds',
      natsReplicas: 1,
      natsUsageBytesMax: 2 * 1024 * 1024,
    })
  })

  test('then channels are tested every so many minutes, seconds apart, and by default on demand alone', () => {
    expect(readConfig({}).channelCare).toEqual({
      testEveryMs: null,
      balanceEveryMs: null,
      pauseMs: 0,
    })
    const set = {
      CHANNEL_TEST_FREQUENCY: '5',
      CHANNEL_UPDATE_FREQUENCY: '60',
      POLLING_INTERVAL: '2',
    }
    expect(readConfig(set).channelCare).toEqual({
      testEveryMs: 300_000,
      balanceEveryMs: 3_600_000,
      pauseMs: 2_000,
    })
  })

  test('then empty variables count as not set', () => {
    expect(readConfig({ PORT: '', EVENTSTORE_URL: ' ' })).toEqual(readConfig({}))
  })

  test.each([
    ['PORT', 'abc', 'PORT is not a whole number. Example: PORT=3000'],
    ['PORT', '70000', 'PORT is above 65535. Example: PORT=3000'],
    ['DATABASE_URL', 'mysql://x', /^DATABASE_URL is not an address that begins with postgres/],
    ['EVENTSTORE_URL', 'localhost', /^EVENTSTORE_URL .*esdb:\/\/127\.0\.0\.1:2113\?tls=false/],
    ['NATS_URL', 'nats://a:4222,b', /^NATS_URL holds .*nats:\/\/ or tls:\/\/\. Example: .*4222/],
    ['NATS_REPLICAS', '0', 'NATS_REPLICAS is below 1. Example: NATS_REPLICAS=3'],
    ['MASTER_KEY', 'short', /^MASTER_KEY is not 32 bytes in base64\. Example: .*openssl rand/],
    ['LOG_LEVEL', 'loud', /^LOG_LEVEL is not one of fatal/],
    ['TRUSTED_PROXIES', 'my proxy', /^TRUSTED_PROXIES holds something/],
  ])('then a wrong %s is named with what is wrong and an example', (name, value, message) => {
    expect(() => readConfig({ [name]: value })).toThrow(message)
  })

  test('then all problems are told at once', () => {
    try {
      readConfig({ PORT: 'x', LOG_LEVEL: 'y' })
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigInvalid)
      expect(String(error)).toMatch(/PORT[\s\S]*LOG_LEVEL/)
    }
  })
})

test('given the variables that are read, when docs and .env.example are, then they list the same', () => {
  const read = (name: string): string =>
    readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
  const named = (text: string, pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map((match) => match[1] ?? '').toSorted((a, b) => (a < b ? -1 : 1))
  const known = VARIABLES.toSorted((a, b) => (a < b ? -1 : 1))
  expect(named(read('docs/configuration.md'), /^\| `([A-Z_]+)`/gm)).toEqual(known)
  expect(named(read('.env.example'), /^([A-Z_]+)=/gm)).toEqual(known)
})
