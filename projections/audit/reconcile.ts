import { type RepeatedFact, RepeatedFacts } from '@tollgate/domain/account/repeated-facts.ts'
import { type BareEvent, LOG_START, type Position } from '@tollgate/domain/event.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type pg from 'pg'
import { readModels } from '../read-models.ts'
import { ensureCheckpointTable } from '../runner/checkpoints.ts'
import { isProjectedType, type Recorded } from '../runner/projected-events.ts'
import { footingOf } from '../runner/log-mark.ts'
import { expectBalances } from './balances.ts'
import { expectChannels } from './channels.ts'
import { expectDashboard } from './dashboard.ts'
import { ComparisonDisturbed } from './disturbed.ts'
import { expectJournal } from './journal.ts'
import { expectOptions } from './options.ts'
import { expectPrices } from './prices.ts'
import type { ExpectedModel } from './expected-model.ts'
import { inSnapshot, type Place, type Places, readPlaces, type Snapshot } from './snapshot.ts'
import { expectRedemptions } from './redemptions.ts'
import { expectTasksOf } from './tasks-of-platform.ts'
import { expectTokens } from './tokens.ts'
import { expectTopUps } from './top-ups.ts'
import { expectUsageLog } from './usage-log.ts'
import { readClearings } from './usage-rows.ts'
import { expectUsers } from './users.ts'
import { type Difference, gatherDifferences } from './differences.ts'

export interface ReconcileReport {
  /** Every read model, and whether it could be compared. */
  readonly models: readonly ReconciledModel[]
  /** Events folded. */
  readonly events: number
  readonly differences: number
  /** The first of them, at most `differencesMax`. */
  readonly first: readonly Difference[]
}

export interface ReconciledModel {
  readonly name: string
  /** Compared with the ledger up to here, where the read model stood; null when it was not compared. */
  readonly position: Position | null
  /** Rows looked at. */
  readonly rows: number
  readonly differences: number
  /** Why it was not compared, or why it stands where it does; null when there is nothing to say. */
  readonly note: string | null
}

export interface ReconcileOptions {
  readonly store: EventStore
  readonly pool: pg.Pool
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: {
    readonly events: number
    readonly position: Position
    readonly head: Position
  }) => void
  /** Default 100. */
  readonly differencesMax?: number
  /** Events read at once, during which a process does nothing else. Default 1,000: about 10 ms. */
  readonly pageEvents?: number
}

const DIFFERENCES_MAX = 100
const PAGE_EVENTS = 1_000
const ATTEMPTS = 3
/** The walk goes on outside the snapshot until no more than this many events are left for inside. */
const LEFT_FOR_SNAPSHOT = 5_000
/** So often at most: on a busy log some are always left. */
const ROUNDS = 5

/**
 * Folds the whole ledger by the domain's own functions and compares every figure of the read models with it. Right
 * beside a running Tollgate: each read model is compared at the position where its checkpoint stands in the one
 * snapshot that all tables are read in. Takes memory for the state of every account and for the dashboard's rows.
 * Fails with ComparisonDisturbed when read models were rebuilt meanwhile, with StoreUnavailable, and with the signal's
 * reason.
 */
export async function reconcile(options: ReconcileOptions): Promise<ReconcileReport> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await reconcileOnce(options)
    } catch (error) {
      options.signal?.throwIfAborted()
      if (!(error instanceof ComparisonDisturbed) || attempt === ATTEMPTS) throw error
    }
  }
}

/** An expected model and the position that it has reached. */
interface ModelWalk {
  readonly expectedModel: ExpectedModel
  position: Position
}

async function reconcileOnce(options: ReconcileOptions): Promise<ReconcileReport> {
  const { store, pool, differencesMax = DIFFERENCES_MAX } = options
  const walk = openWalk(options)
  await ensureCheckpointTable(pool)
  const places = await readPlaces(pool)
  const reconciled = (await expectedModels(store, places))
    .filter(({ model }) => places.get(model)?.isComparable === true)
    .map((expectedModel): ModelWalk => ({ expectedModel, position: LOG_START }))
  for (let round = 1; round <= ROUNDS; round += 1) {
    if ((await walk.advance(reconciled, await readPlaces(pool))) <= LEFT_FOR_SNAPSHOT) break
  }
  const gathered = gatherDifferences(differencesMax)
  const expected = reconciled.map(({ expectedModel }) => expectedModel)
  const compared = await inSnapshot(pool, expected, options.signal, async (snapshot) => {
    await walk.advance(reconciled, snapshot.places)
    for (const { expectedModel } of reconciled) {
      await compareCheckpoint(store, expectedModel.model, snapshot, gathered)
      await compareModel(expectedModel, snapshot, gathered)
      options.signal?.throwIfAborted()
    }
    return snapshot.places
  })
  for (const fact of walk.bookedTwice()) gathered.add(differenceOf(fact))
  for (const { stream, how } of (await store.readCutStreams?.()) ?? []) {
    const figures = { ledger: 'whole', found: how }
    gathered.add({ model: 'balances', table: '(cut)', key: stream, column: 'events', ...figures })
  }
  for (const { stream, revision } of store.foreignEvents?.() ?? []) {
    const figures = { ledger: 'none of its own', found: "another client's" }
    const key = `${stream}@${revision}`
    gathered.add({ model: 'balances', table: '(foreign)', key, column: 'event', ...figures })
  }
  return {
    models: readModels.map(({ name }) => {
      const place = compared.get(name)
      const isCompared = reconciled.some(({ expectedModel }) => expectedModel.model === name)
      return {
        name,
        position: isCompared ? (place?.position ?? null) : null,
        ...gathered.ofModel(name),
        note: noteOf(place, isCompared),
      }
    }),
    events: walk.events(),
    differences: gathered.total(),
    first: gathered.first(),
  }
}

function noteOf(place: Place | undefined, isCompared: boolean): string | null {
  if (place === undefined) return 'not built yet: start Tollgate or rebuild it'
  if (isCompared || !place.isComparable) return place.note
  return 'not compared: nobody says what it should hold'
}

async function expectedModels(
  store: EventStore,
  places: Places,
): Promise<readonly ExpectedModel[]> {
  return [
    expectBalances(),
    expectJournal(store),
    expectUsageLog(
      store,
      await readClearings(store, places.get('usage-log')?.position ?? LOG_START),
    ),
    expectDashboard(),
    expectTokens(),
    expectChannels(),
    expectUsers(),
    expectOptions(),
    expectPrices(),
    expectRedemptions(),
    expectTasksOf('drawings', 'mj'),
    expectTasksOf('tasks', 'suno'),
    expectTopUps(),
  ]
}

const compareModel = (
  expectedModel: ExpectedModel,
  snapshot: Snapshot,
  gathered: ReturnType<typeof gatherDifferences>,
): Promise<unknown> =>
  expectedModel.compare({
    rows: (sql) => snapshot.rows(sql),
    differs: (difference) => gathered.add({ model: expectedModel.model, ...difference }),
    looked: (rows) => gathered.looked(expectedModel.model, rows),
  })

/** The event that a checkpoint says it stands on must be the log's. */
async function compareCheckpoint(
  store: EventStore,
  model: string,
  { places }: Snapshot,
  gathered: ReturnType<typeof gatherDifferences>,
): Promise<void> {
  const place = places.get(model)
  if (place === undefined) return
  const footing = await footingOf(store, { ...place, name: model })
  if (footing.isFirm) return
  const { revision, stream } = place.mark ?? { stream: 'an event', revision: place.position }
  gathered.add({
    model,
    table: 'checkpoints',
    key: model,
    column: 'mark',
    ledger: footing.problem,
    found: `${stream}, revision ${revision}, at or before position ${place.position}`,
  })
}

/** The ledger agrees with itself: it is what was done that is wrong. */
const differenceOf = ({
  stream,
  revision,
  type,
  causationId,
  firstRevision,
}: RepeatedFact): Difference => ({
  model: 'balances',
  table: '(booked twice)',
  key: `${stream}, revision ${revision}`,
  column: type,
  ledger: `revision ${firstRevision}, caused by ${causationId}`,
  found: 'the same cause once more',
})

interface Walk {
  /** Takes every expected model to where its read model stands; answers how many events that were. */
  advance(reconciled: readonly ModelWalk[], places: Places): Promise<number>
  events(): number
  bookedTwice(): readonly RepeatedFact[]
}

function openWalk({ store, signal, onProgress, pageEvents = PAGE_EVENTS }: ReconcileOptions): Walk {
  const streamPrefixes = [...new Set(readModels.flatMap((model) => model.streamPrefixes))]
  const facts = new RepeatedFacts()
  /** As few as mistakes of this kind are. */
  const repeated: RepeatedFact[] = []
  let seenUpTo = LOG_START
  let events = 0

  async function advance(reconciled: readonly ModelWalk[], places: Places): Promise<number> {
    const before = events
    const targets = reconciled.map((reconciledModel) => ({
      reconciledModel,
      to: targetOf(reconciledModel, places),
    }))
    const behind = targets.filter(({ reconciledModel, to }) => reconciledModel.position < to)
    const end = Math.max(LOG_START, ...behind.map(({ to }) => to))
    let from = Math.min(end, ...behind.map(({ reconciledModel }) => reconciledModel.position))
    while (from < end) {
      signal?.throwIfAborted()
      const page = await store.readAll(from, { streamPrefixes }, pageEvents)
      for (const event of page) {
        if (event.position > end) break
        events += 1
        // Read models stand at different places: some events pass by more than once.
        const fact = event.position > seenUpTo ? facts.see(event, event.metadata.causationId) : null
        if (fact !== null) repeated.push(fact)
        seenUpTo = Math.max(seenUpTo, event.position)
        if (isProjected(event)) give(event, behind)
      }
      from = page.length < pageEvents ? end : (page.at(-1)?.position ?? end)
      onProgress?.({ events, position: Math.min(from, end), head: end })
    }
    for (const { reconciledModel, to } of behind) reconciledModel.position = to
    return events - before
  }

  return { advance, events: () => events, bookedTwice: () => repeated }
}

const isProjected = (event: BareEvent): event is Recorded => isProjectedType(event.type)

function give(
  event: Recorded,
  behind: readonly { reconciledModel: ModelWalk; to: Position }[],
): void {
  for (const { reconciledModel, to } of behind) {
    if (event.position > reconciledModel.position && event.position <= to)
      reconciledModel.expectedModel.take(event)
  }
}

function targetOf({ expectedModel, position }: ModelWalk, places: Places): Position {
  const place = places.get(expectedModel.model)
  if (place?.isComparable !== true || place.position < position) {
    throw new ComparisonDisturbed(`${expectedModel.model} was built anew or moved back meanwhile`)
  }
  return place.position
}
