import { KEY, startRelay } from '@tollgate/tests/support/relay/relay-under-test.ts'
import { expect, test } from 'vitest'
import { DemoClock } from './demo-clock.ts'
import { driveHistory } from './drive.ts'
import type { PlannedRequest } from './history.ts'
import { CHANNELS } from './people.ts'
import type { Provider } from './provider.ts'
import { startProvider } from './provider.ts'

const MODELS = [...new Set(CHANNELS.flatMap(({ models }) => models.split(',')))]
const FIRST_BYTE_MS = 480

const planned = (model: string, stream: boolean): PlannedRequest => ({
  at: 1_700_000_000_000,
  username: 'aiko',
  token: 'translation',
  model,
  stream,
  promptTokens: 40,
  answerTokens: model.includes('embedding') ? 0 : 24,
  firstByteMs: FIRST_BYTE_MS,
  perTokenMs: 0,
  failure: null,
})

test('given a made-up request to any channel type, when the provider takes its time, then nobody waits', async () => {
  const relay = await startRelay()
  const provider = await startProvider()
  const timelines: Array<{ readonly model: string; readonly timeline: { elapsedMs: number } }> = []
  const watched: Provider = {
    ...provider,
    begin: (flight) => {
      timelines.push({ model: flight.plan.model, timeline: flight.timeline })
      return provider.begin(flight)
    },
  }
  relay.directory.set({
    ModelRatio: JSON.stringify(Object.fromEntries(MODELS.map((model) => [model, 1]))),
  })
  for (const [index, { type, key, models }] of CHANNELS.entries()) {
    const baseUrl = provider.upstream.url
    relay.directory.add(index + 1, { type, baseUrl, models: models.split(',') }, { key })
  }
  await driveHistory({
    history: MODELS.flatMap((model) => [planned(model, false), planned(model, true)]),
    clock: new DemoClock(0),
    http: relay.app,
    seeded: { keys: new Map([['aiko/translation', `sk-${KEY}`]]) },
    provider: watched,
    onProgress: () => {},
    signal: new AbortController().signal,
  })
  expect(timelines).toHaveLength(2 * MODELS.length)
  const waited = timelines.filter(({ timeline }) => timeline.elapsedMs !== FIRST_BYTE_MS)
  expect(waited.map(({ model }) => model)).toEqual([])
  await relay.close()
  await provider.upstream.stop()
})
