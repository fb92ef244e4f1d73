import { channelStream } from '@tollgate/domain/event.ts'
import { ProbeFailed } from '@tollgate/domain/ports/channel-probe.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { autoDisable, concludeTrial } from './automatic-status.ts'
import { executeOnChannel, loadChannel } from './channel-writer.ts'
import {
  type ChannelsUnderTest,
  FINE,
  openChannelsUnderTest,
  USELESS,
} from '@tollgate/tests/support/channels-under-test.ts'
import { readAllBalances } from './read-balance.ts'
import { recoverChannels } from './recover-channels.ts'

const MINUTE = 60_000
const cause = { actor: 'system', correlationId: 'run', causationId: null } as const
const WHY = { reason: 'no', upstreamStatus: 401, bodyExcerpt: '' }
const never = new AbortController().signal
let under: ChannelsUnderTest

beforeAll(async () => {
  under = await openChannelsUnderTest()
})
afterAll(() => under.close())
beforeEach(async () => {
  await under.reset()
  await under.option('AutomaticDisableChannelEnabled', 'true')
  await under.option('AutomaticEnableChannelEnabled', 'true')
})

/** A channel that was taken out of service just now. */
async function madeOut(body: object = {}): Promise<number> {
  const id = await under.made(body)
  await autoDisable(under.deps, id, WHY)
  return id
}

/** Which keys are asked from now on, in order. */
function noteAsked(): string[] {
  const asked: string[] = []
  const { outcome } = under.upstream
  under.upstream.outcome = (channel, model, signal) => {
    asked.push(channel.key)
    return outcome(channel, model, signal)
  }
  return asked
}

describe('channels out of service', () => {
  const recover = (signal = never) => recoverChannels(under.deps, cause, signal)

  test('given a channel that keeps failing, when its pauses end, then it is tested after 1, 2 and 4 minutes', async () => {
    const id = await madeOut()
    under.upstream.outcome = () => USELESS
    const asked = noteAsked()
    for (let minute = 1; minute <= 8; minute += 1) {
      await recover()
      under.fixture.pass(MINUTE - 1)
      await recover()
      under.fixture.pass(1)
      await recover()
    }
    expect(asked.length).toBe(3)
    expect(await under.statusOf(id)).toBe('auto-disabled')
  })

  test('given a channel that works again, when tested, then it is half-open, and its trial decides the rest', async () => {
    const id = await madeOut()
    under.fixture.pass(MINUTE)
    await recover()
    expect(await under.statusOf(id)).toBe('half-open')
    await recover()
    await concludeTrial(under.deps, id, { succeeded: false, ...WHY })
    under.fixture.pass(MINUTE)
    await recover()
    expect(await under.statusOf(id)).toBe('auto-disabled')
    under.fixture.pass(MINUTE)
    await recover()
    await concludeTrial(under.deps, id, { succeeded: true })
    expect(await under.typesOf(id)).toEqual([
      'ChannelAdded',
      'ChannelAutoDisabled',
      'ChannelTested',
      'ChannelHalfOpened',
      'ChannelTrialFailed',
      'ChannelTested',
      'ChannelHalfOpened',
      'ChannelAutoEnabled',
    ])
    const [test] = (await under.fixture.eventsOf(channelStream(id))).slice(2)
    expect(test).toMatchObject({ data: { testedBy: null, succeeded: true } })
  })

  test('given a new key, when put, then it is tested at once', async () => {
    const id = await madeOut()
    await under.put({ id, key: 'sk-new' })
    const asked = noteAsked()
    await recover()
    expect(asked).toEqual(['sk-new'])
    expect(await under.statusOf(id)).toBe('half-open')
  })

  test('given an account without money, when due, then its balance is looked at before it is tested', async () => {
    const id = await under.made()
    under.upstream.balanceUsd = '-0.01'
    await readAllBalances(under.deps, { reach: 'configured', cause, signal: never })
    expect(await under.statusOf(id)).toBe('auto-disabled')
    const asked = noteAsked()
    under.fixture.pass(MINUTE)
    await recover()
    await recover()
    expect(asked).toEqual([])
    expect((await loadChannel(under.deps, id))?.recovery?.failures).toBe(2)
    under.upstream.balanceUsd = '5'
    under.fixture.pass(2 * MINUTE)
    await recover()
    expect(asked).toEqual(['sk-1'])
    expect(await under.statusOf(id)).toBe('half-open')
  })

  test('given a slow answer, when tested, then it stays out and waits', async () => {
    const id = await madeOut()
    under.upstream.outcome = () => ({ ...FINE, durationMs: 5_001 })
    const asked = noteAsked()
    under.fixture.pass(MINUTE)
    await recover()
    await recover()
    expect(asked.length).toBe(1)
    expect(await under.statusOf(id)).toBe('auto-disabled')
  })

  test('given no switch, a manual disable or an untestable type, when due, then no channel is asked', async () => {
    const byHand = await madeOut()
    await under.put({ id: byHand, status: 2 })
    await madeOut({ type: 36, base_url: 'https://suno.example' })
    const asked = noteAsked()
    under.fixture.pass(MINUTE)
    await recover()
    await madeOut()
    await under.option('AutomaticEnableChannelEnabled', 'false')
    under.fixture.pass(MINUTE)
    await recover()
    expect(asked).toEqual([])
  })
})

describe('a test of all channels', () => {
  test('given a scheduled run, when channels are out of service, then their pause counts and nobody is told', async () => {
    await under.made({ key: 'good' })
    await madeOut({ key: 'out' })
    const asked = noteAsked()
    await under.tests.run(cause, never)
    expect(asked).toEqual(['good'])
    under.fixture.pass(MINUTE)
    await under.tests.run(cause, never)
    expect(asked).toEqual(['good', 'good', 'out'])
    expect(under.allTested).toEqual([])
  })

  test('given a run that a person began, when it ends, then that is told once and no scheduled run joined', async () => {
    await under.made()
    let answer = (): void => undefined
    under.upstream.outcome = () =>
      new Promise((resolve) => {
        answer = () => resolve(FINE)
      })
    const asked = noteAsked()
    expect(await under.call('GET /api/channel/test')).toEqual({})
    await under.tests.run(cause, never)
    expect(await under.call('GET /api/channel/test')).toMatchObject({ message: '测试已在运行中' })
    await expect.poll(() => asked.length).toBe(1)
    answer()
    await under.tests.idle()
    expect(asked.length).toBe(1)
    expect(under.allTested).toMatchObject([{ actor: 'user:9' }])
  })

  test('given a run under way, when it is told to end, then its test is dropped and no other begins', async () => {
    const [first] = [await under.made({ key: 'first' }), await under.made({ key: 'second' })]
    const ending = new AbortController()
    under.upstream.outcome = (_channel, _model, signal) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve({ ...USELESS, upstreamStatus: null }))
      })
    const asked = noteAsked()
    const run = under.tests.run(cause, ending.signal)
    await expect.poll(() => asked.length).toBe(1)
    ending.abort()
    await run
    expect(asked).toEqual(['first'])
    expect(await under.typesOf(first)).toEqual(['ChannelAdded'])
  })

  test('given one channel whose care fails, when all are tested, then the others are, and it is logged', async () => {
    await under.made({ key: 'broken' })
    const good = await under.made({ key: 'good' })
    under.upstream.outcome = ({ key }) => {
      if (key === 'broken') throw new Error('a bug')
      return FINE
    }
    await under.tests.run(cause, never)
    expect(under.recorded.tests.map(({ channel }) => channel)).toContain(good)
    expect(under.warnings.splice(0)).toMatchObject([{ err: { message: 'a bug' } }])
  })
})

test('given balances, when all are read, then only channels in service are asked and failures are skipped', async () => {
  const [rich, poor, off, unread] = [
    await under.made(),
    await under.made({ key: 'poor' }),
    await under.made({ status: 2 }),
    await under.made({ type: 42, key: 'none' }),
  ]
  const deps = {
    ...under.deps,
    probe: {
      ...under.deps.probe,
      readBalance: async ({ key }: { readonly key: string }) => {
        if (key === 'none') throw new ProbeFailed('尚未实现')
        return key === 'poor' ? '0.00' : '3'
      },
    },
  }
  expect(await readAllBalances(deps, { reach: 'configured', cause, signal: never })).toEqual(
    expect.any(Number),
  )
  expect(await Promise.all([rich, poor, off, unread].map((id) => under.statusOf(id)))).toEqual([
    'enabled',
    'auto-disabled',
    'disabled',
    'enabled',
  ])
  expect((await under.fixture.eventsOf(channelStream(poor))).at(-1)).toMatchObject({
    type: 'ChannelAutoDisabled',
    data: { reason: '余额不足', upstreamStatus: null, bodyExcerpt: '' },
  })
  expect(await under.typesOf(off)).toEqual(['ChannelAdded', 'ChannelDisabled'])
  const stopped = new AbortController()
  stopped.abort()
  expect(
    await readAllBalances(deps, { reach: 'configured', cause, signal: stopped.signal }),
  ).toBeNull()
})

test('given a stream that was read before, when a command comes, then only newer events are read', async () => {
  const id = await under.made()
  let read = 0
  const { store } = under.deps
  const counting = Object.create(store, {
    readStream: {
      value: async function* (...asked: Parameters<typeof store.readStream>) {
        for await (const event of store.readStream(...asked)) {
          read += 1
          yield event
        }
      },
    },
  }) as typeof store
  const deps = { ...under.deps, store: counting }
  await loadChannel(deps, id)
  read = 0
  const revise = (to: typeof deps, weight: number) =>
    executeOnChannel(to, { id, command: { type: 'ReviseChannel', changes: { weight } } }, cause)
  for (let weight = 1; weight <= 5; weight += 1) await revise(deps, weight)
  // Somebody else, who remembers nothing.
  const { memory: _memory, ...forgetful } = under.deps
  await revise(forgetful, 6)
  expect((await loadChannel(deps, id))?.terms.weight).toBe(6)
  expect(read).toBe(6)
})
