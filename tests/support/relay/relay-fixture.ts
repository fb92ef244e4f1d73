import { afterAll, beforeEach } from 'vitest'
import {
  type FakeUpstream,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
} from './relay-under-test.ts'

/** The fixture of most tests of the pipeline. */
export interface RelayFixture {
  readonly relay: RelayUnderTest
  readonly upstream: FakeUpstream
  /** Upstream answers JSON from now on. */
  readonly answers: (
    status: number,
    body: object,
    headers?: Readonly<Record<string, string>>,
  ) => void
  /** Upstream answers with an event stream from now on. */
  readonly streams: (text: string) => void
}

/** A relay and an upstream for the tests of a file, as new before each; closed behind the last. */
export async function openRelayFixture(): Promise<RelayFixture> {
  const [relay, upstream] = await Promise.all([startRelay(), startUpstream()])
  beforeEach(() => startAfresh(relay, upstream))
  afterAll(async () => {
    await relay.close()
    await upstream.close()
  })
  return {
    relay,
    upstream,
    answers: (status, body, headers = {}) =>
      upstream.behave((response) => {
        response.writeHead(status, { 'content-type': 'application/json', ...headers })
        response.end(JSON.stringify(body))
      }),
    streams: (text) =>
      upstream.behave((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
      }),
  }
}
