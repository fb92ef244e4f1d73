import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import { testAuthority } from '@tollgate/tests/support/engines/certificates.ts'
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '@tollgate/tests/support/engines/eventstoredb-double/double.ts'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openEventStoreDb } from '../../event-store/eventstoredb/store.ts'
import { systemClock } from '../runtime.ts'
import { waitForEventStore } from './wait-for-event-store.ts'

const PAGE = readFileSync(new URL('../../../docs/eventstoredb.md', import.meta.url), 'utf8')
const YESTERDAY = new Date(Date.now() - 24 * 3_600_000)
const folder = mkdtempSync(join(tmpdir(), 'tollgate-tls-'))
const said: string[] = []
const logger = pino({ level: 'info' }, { write: (line: string) => void said.push(line) })
/** A start that waits although that does not help fails. */
const impatient: Clock = { ...systemClock, sleep: () => expect.unreachable('waited') }

let plain: EventStoreDbDouble
let secure: EventStoreDbDouble
let elsewhere: EventStoreDbDouble
let expired: EventStoreDbDouble
let closed: EventStoreDbDouble
let ca: string
let otherCa: string

beforeAll(async () => {
  const authority = testAuthority()
  const pem = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return encodeURIComponent(join(folder, name))
  }
  ca = pem('ca.crt', authority.cert)
  otherCa = pem('other.crt', testAuthority('Somebody else').cert)
  const here = authority.issue(['127.0.0.1'])
  plain = await startEventStoreDbDouble()
  secure = await startEventStoreDbDouble(undefined, here)
  elsewhere = await startEventStoreDbDouble(undefined, authority.issue(['node1.example.com']))
  const past = { from: new Date(0), until: YESTERDAY }
  expired = await startEventStoreDbDouble(undefined, authority.issue(['127.0.0.1'], past))
  closed = await startEventStoreDbDouble()
  await closed.die()
})
afterEach(() => {
  said.length = 0
  secure.rights.user = null
  secure.rights.mayReadLog = true
})
afterAll(async () => {
  await Promise.all([plain, secure, elsewhere, expired, closed].map((double) => double.close()))
  rmSync(folder, { recursive: true })
})

async function start(connectionString: string, clock: Clock): Promise<string> {
  const store = openEventStoreDb({ connectionString, logger, clock })
  try {
    await waitForEventStore(connectionString, store, { clock, logger })
    return 'started'
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  } finally {
    await store.close()
  }
}

/** The page that the message names has the message. */
function expectExplained(failure: string): void {
  const [, what = 'no message'] = /cannot be used: (its? [^.]+)\./.exec(failure) ?? []
  expect(PAGE).toContain(what.split(',')[0])
}

describe('given a mistake that waiting does not mend, when a process starts,', () => {
  test.each<[string, () => string, RegExp]>([
    [
      'no CA',
      () => `esdb://${secure.host}`,
      /signed by no CA that Tollgate trusts\. Name the CA that signed it with tlsCAFile=/,
    ],
    [
      'a wrong CA',
      () => `esdb://${secure.host}?tlsCAFile=${otherCa}`,
      /signed by no CA that Tollgate trusts/,
    ],
    [
      'a host that the certificate does not name',
      () => `esdb://${elsewhere.host}?tlsCAFile=${ca}`,
      /not for the host in EVENTSTORE_URL\. Write a host that the certificate names/,
    ],
    [
      'an expired certificate',
      () => `esdb://${expired.host}?tlsCAFile=${ca}`,
      /certificate has expired, or is not valid yet/,
    ],
    [
      'TLS to a server without it',
      () => `esdb://${plain.host}?tls=true`,
      /speaks no TLS there\. Add tls=false to EVENTSTORE_URL/,
    ],
    [
      'no TLS to a server with it',
      () => `esdb://${secure.host}?tls=false`,
      /speaks TLS there\. Take tls=false out of EVENTSTORE_URL/,
    ],
    [
      'a cluster with a wrong CA, of which a node is down',
      () => `esdb://${closed.host},${secure.host}?tlsCAFile=${otherCa}&maxDiscoverAttempts=1`,
      /signed by no CA that Tollgate trusts/,
    ],
    [
      'a cluster that wants TLS',
      () => `esdb://${secure.host},${secure.host}?tls=false&maxDiscoverAttempts=1`,
      /speaks TLS there/,
    ],
  ])('then %s is named at once, with what to do', async (_, connectionString, words) => {
    const failure = await start(connectionString(), impatient)
    expect(failure).toMatch(words)
    expect(failure).toMatch(/^EventStoreRefused: EventStoreDB at 127\.0\.0\.1:\d+/)
    expectExplained(failure)
    expect(said).toEqual([])
  })

  test.each<[string, string, RegExp]>([
    [
      'no user',
      '',
      /does not know the user or the password\. Write EVENTSTORE_URL as esdb:\/\/user/,
    ],
    ['a wrong password', 'tollgate:wrong-secret@', /does not know the user or the password/],
  ])('then %s is named at once, without the password', async (_, user, words) => {
    secure.rights.user = { name: 'tollgate', password: 'secret' }
    const failure = await start(`esdb://${user}${secure.host}?tlsCAFile=${ca}`, impatient)
    expect(failure).toMatch(words)
    expectExplained(failure)
    expect(failure).not.toContain('secret@')
    expect(failure).not.toContain('wrong-secret')
  })

  test('then a user that may not read $all is named at once', async () => {
    secure.rights.user = { name: 'tollgate', password: 'secret' }
    const url = `esdb://tollgate:secret@${secure.host}?tlsCAFile=${ca}`
    expect(await start(url, impatient)).toBe('started')
    secure.rights.mayReadLog = false
    const failure = await start(url, impatient)
    expect(failure).toMatch(/Give that user the right to read \$all/)
    expectExplained(failure)
  })

  test('then a file that tlsCAFile names and that is not there stands in one line', async () => {
    const opening = (): unknown =>
      openEventStoreDb({ connectionString: 'esdb://a?tlsCAFile=/none', logger, clock: systemClock })
    expect(opening).toThrow(
      expect.objectContaining({
        retryable: false,
        message: expect.stringMatching(/EVENTSTORE_URL.*tlsCAFile \/none.*ENOENT/),
      }),
    )
  })
})

test('given a server that is not ready at first, when a process starts, then it says so once and begins', async () => {
  const double = await startEventStoreDbDouble()
  double.rights.isStarting = true
  await double.die()
  let rounds = 0
  const sleep = async (): Promise<void> => {
    rounds += 1
    if (rounds === 2) await double.comeBack()
    if (rounds === 4) double.rights.isStarting = false
    await systemClock.sleep(10)
  }
  try {
    expect(await start(double.connectionString, { ...systemClock, sleep })).toBe('started')
    expect(rounds).toBeGreaterThanOrEqual(4)
    expect(said).toHaveLength(1)
    expect(said[0]).toContain('waiting for EventStoreDB')
  } finally {
    await double.close()
  }
})

test('given a server that does not come, when a minute has passed, then it is said where and what to do', async () => {
  let now = 0
  const clock = {
    now: () => now,
    monotonicMs: () => now,
    sleep: async (ms: number) => void (now += ms),
  }
  expect(await start(`esdb://u:secret@${closed.host}?tls=false`, clock)).toMatch(
    /^EventStoreUnavailable: EventStoreDB at 127\.0\.0\.1:\d+ does not answer \(.*ECONNREFUSED 127\.0\.0\.1:\d+\)\. Start it, or correct EVENTSTORE_URL\.$/,
  )
  expect(now).toBe(60_000)
  expect(said).toHaveLength(1)
})
