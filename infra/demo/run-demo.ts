import { rmSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import cliProgress from 'cli-progress'
import { z } from 'zod'
import { dataFolder, hasCluster, lockDataFolder, openDataFolder } from '../postgres/data-folder.ts'
import { endLeftovers } from '../postgres/leftover-processes.ts'
import { readConfig } from '../processes/config.ts'
import { openLogger } from '../processes/logger.ts'
import { reasonOf } from '../processes/run-process.ts'
import { stopOnSignal } from '../processes/stop-signals.ts'
import type { Tollgate } from '../processes/tollgate.ts'
import { STOP_MS } from '../processes/bounds.ts'
import { startTollgate } from '../processes/tollgate.ts'
import { systemClock, systemEntropy, systemRandomness } from '../processes/runtime.ts'
import { DemoClock } from './demo-clock.ts'
import { driveHistory } from './drive.ts'
import { seedData } from './seed-data.ts'
import type { SeededData } from './seed-data.ts'
import { planHistory } from './history.ts'
import { failChannel } from './past/outage.ts'
import { makePast, pastBeginsAt } from './past/past-months.ts'
import { replayLastMonths } from './past/replays.ts'
import { PASSWORD, PEOPLE } from './people.ts'
import { startProvider } from './provider.ts'

/**
 * The demo (`npm run demo`): Tollgate on a data folder of its own, with a stand-in for a provider and a made-up history: two finished
 * months and the present one up to three days ago, booked through the ledger's deciders, then three days of requests that
 * go through the real relay. Made anew at each start; keeps running until it is stopped.
 * `npm run demo -- --requests 20000` makes a history of more requests.
 */
const DATA_DIR = '.data-demo'
const DRIVEN_MS = 3 * 24 * 3_600_000

const { values } = parseArgs({ options: { requests: { type: 'string', default: '6000' } } })
const requests = z.coerce.number().int().positive().parse(values.requests)

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const stopping = new AbortController()
const config = readConfig({
  LOG_LEVEL: 'error',
  // The made-up people all call from one address.
  GLOBAL_API_RATE_LIMIT_ENABLE: 'false',
  ...process.env,
  DATA_DIR,
})
const logger = openLogger(config.logLevel)
await clearDataFolder()
const now = Date.now()
const from = pastBeginsAt(now)
const clock = new DemoClock(from)
const provider = await startProvider()
const starting = startTollgate(config, {
  clock,
  holdClock: systemClock,
  randomness: systemRandomness,
  entropy: systemEntropy,
  logger,
  isDemo: true,
  stopping: stopping.signal,
})
/** Ends when the history is made, or given up because the demo stops. */
const made = Promise.withResolvers<void>()
stopOnSignal(STOP_MS, logger, async () => {
  stopping.abort()
  // A start that fails closes what it had opened.
  const running = await starting.catch(() => null)
  // The work that asks the server is done with it before it closes.
  if (running !== null) await made.promise
  await running?.stop()
  await provider.upstream.stop()
})
const tollgate = await starting.catch(async (error: unknown) => {
  // Told to stop, it ends as soon as that is done.
  if (stopping.signal.aborted) return new Promise<never>(() => undefined)
  process.stderr.write(`The demo cannot start.\n${reasonOf(error)}\n`)
  return process.exit(1)
})

try {
  await makeHistory(tollgate)
} catch (error) {
  // Told to stop, it has broken off.
  if (!stopping.signal.aborted) throw error
} finally {
  made.resolve()
}

async function makeHistory(running: Tollgate): Promise<void> {
  const { signal } = stopping
  say(`Making three months of history; look in at ${running.url} (root, ${PASSWORD})`)
  const seeded = await seedData({
    url: running.url,
    upstreamUrl: provider.upstream.url,
    now: () => clock.now(),
    signal,
  })
  const history = planHistory({ people: PEOPLE, requests, from, to: now, seed: 20_260_105 })
  const bar = new cliProgress.SingleBar({
    format: 'History [{bar}] {percentage}%  {value} of {total} requests, {eta} s left',
    hideCursor: true,
    // Into a file or a pipe: a line every few seconds instead of a bar that moves.
    noTTYOutput: true,
    notTTYSchedule: 5_000,
  })
  bar.start(history.length, 0)
  const drivenFrom = now - DRIVEN_MS
  const drive = { clock, http: running.http, seeded, provider, signal }
  await makePast(
    history.filter(({ at }) => at < drivenFrom),
    { from, to: drivenFrom },
    {
      clock,
      seeded,
      store: running.engines.store,
      owner: running.ledger.owner,
      journal: running.ledger.journal,
      uuid: () => systemRandomness.uuid(),
      signal,
      onBooked: () => bar.increment(),
      readModelsCaughtUp: () => readModelsCaughtUp(running),
      failAt: (at) => failChannel(at, drive),
      send: (plan) =>
        driveHistory({ ...drive, history: [plan], keyDiesAt: 1, onProgress: () => undefined }),
    },
  )
  await driveHistory({
    ...drive,
    history: history.filter(({ at }) => at >= drivenFrom),
    onProgress: () => bar.increment(),
  })
  bar.stop()
  clock.becomeReal()
  if (signal.aborted) return
  await tryChannels(seeded)
  await readModelsCaughtUp(running)
  await replayLastMonths(seeded.root(), from, signal)
  say(`The demo is ready at ${running.url}: sign in as root with ${PASSWORD}`)
  say(`Call it as ${running.url}/v1 with the key ${seeded.rootKey}`)
  say(`Everybody else has the same password: ${PEOPLE.map(({ username }) => username).join(', ')}`)
}

/** Removes the last demo's data, and what a killed demo left running on it. Refuses while a demo runs. */
async function clearDataFolder(): Promise<void> {
  const folder = dataFolder(DATA_DIR)
  await openDataFolder(folder)
  const lock = lockDataFolder(folder)
  if (await hasCluster(folder)) await endLeftovers(folder.clusterFolder, logger)
  lock.release()
  rmSync(DATA_DIR, { recursive: true })
}

/** Fills in response times and balances, as an administrator would by a click. */
async function tryChannels(seeded: SeededData): Promise<void> {
  const root = seeded.root()
  const rows = z.array(z.object({ id: z.number(), type: z.number(), status: z.number() }))
  for (const { id, type, status } of await root.ask(
    'GET',
    '/api/channel/?p=0&page_size=50',
    rows,
  )) {
    if (status !== 1) continue
    await root.ask('GET', `/api/channel/test/${id}`, z.unknown())
    // Other types ask for their balance in ways that the stand-in does not know.
    if (type === 1) await root.ask('GET', `/api/channel/update_balance/${id}`, z.unknown())
  }
}

/** Up to the newest event of this moment: a runner that has not looked yet takes itself for caught up. */
async function readModelsCaughtUp({ projections, engines }: Tollgate): Promise<void> {
  const head = await engines.store.headPosition()
  const isCaughtUp = (): boolean => {
    const { isCaughtUp: hasSeenAll, projectors } = projections.status()
    return hasSeenAll && projectors.every(({ position }) => position >= head)
  }
  while (!isCaughtUp() && !stopping.signal.aborted) await sleep(20)
}
