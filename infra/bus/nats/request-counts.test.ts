import { relayId, type UserId } from '@tollgate/domain/ids.ts'
import type { RequestCount } from '@tollgate/relay/pipeline/model-rate-limit.ts'
import { type NatsServer, startNatsServer } from '@tollgate/tests/support/engines/nats-server.ts'
import { until } from '@tollgate/tests/support/processes.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACCOUNT, openLink, RELAY } from '@tollgate/tests/support/bus-under-test.ts'
import type { NatsLink } from './connection.ts'
import { exchangeRequestCounts } from './request-counts.ts'
import { REQUEST_COUNTS_SUBJECT } from './subjects.ts'

let server: NatsServer
const links: NatsLink[] = []
beforeAll(async () => {
  server = await startNatsServer({ jetStream: false })
})
afterAll(async () => {
  await Promise.all(links.map((link) => link.close()))
  await server.dispose()
})

/** One relay's end, whose counts the test has in its hands. */
async function relayCalled(id: string) {
  const link = await openLink(server.url)
  links.push(link)
  const untold = new Map<UserId, RequestCount>()
  const heard: [UserId, RequestCount][] = []
  const exchange = exchangeRequestCounts({
    link,
    relay: relayId(id),
    everyMs: 20,
    counts: {
      take() {
        const taken = new Map(untold)
        untold.clear()
        return taken
      },
      hear: (counts) => {
        for (const [user, count] of counts) heard.push([user, count])
      },
    },
  })
  // The subscription is at the server once it has answered what was sent after it.
  await link.client.flush()
  return { link, untold, heard, exchange }
}

test('given two relays, when one counts requests, then only the other hears of them', async () => {
  const one = await relayCalled(RELAY)
  const other = await relayCalled('another')
  one.untold.set(ACCOUNT, { requests: 3, successes: 2 })
  await until('the other has heard', () => other.heard.length > 0)
  expect(other.heard).toEqual([[ACCOUNT, { requests: 3, successes: 2 }]])
  expect(one.heard).toEqual([])
  one.link.client.publish(REQUEST_COUNTS_SUBJECT, 'nonsense')
  other.untold.set(ACCOUNT, { requests: 1, successes: 0 })
  await until('the first has heard', () => one.heard.length > 0)
  await one.exchange.stop()
  await other.exchange.stop()
})
