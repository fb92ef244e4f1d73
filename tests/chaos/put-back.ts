import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Client } from 'pg'
import { z } from 'zod'
import type { DistributedProduct } from '../support/distributed-product.ts'
import type { DoubleCluster } from '../support/engines/eventstoredb-double/cluster.ts'
import { until } from '../support/processes.ts'
import { runCommand } from '../support/run-command.ts'
import type { Root, TollgateProcess } from '../support/tollgate-process.ts'
import type { Fault } from './faults.ts'
import type { Asked } from './load.ts'

/**
 * How the log becomes an older one: the whole server from a copy of its files; the log alone, as when it lies elsewhere
 * and a standby that lagged is promoted; or `npm run restore` of a backup beside a NATS that goes on.
 */
export const WAYS = ['server', 'log', 'backup'] as const
/** In a cluster that keeps the log: a node that lagged is promoted alone. */
export type Way = (typeof WAYS)[number] | 'node'

/** Facts that a log had and has not any more. */
export interface Lost {
  /** Ids of requests whose charges are lost. */
  readonly charges: ReadonlySet<string>
  /** Streams of codes whose redeeming is lost. */
  readonly redeemed: ReadonlySet<string>
}

export const NOTHING_LOST: Lost = { charges: new Set(), redeemed: new Set() }

const ROOTS: readonly Root[] = ['api', 'relay', 'projector']
/** A cut of the marks' way, a standstill of 8 s and the pauses between comparisons come together at worst. */
const NOTICED_TIMEOUT_MS = 60_000
/** Requests that must have been refused before the operator acts. */
const REFUSED_LEAST = 20

/** The log put back once in a run: saved, put back, and accepted, each a fault like others. */
export class PutBack {
  readonly #product: DistributedProduct
  readonly #way: Way
  readonly #cluster: DoubleCluster | null
  readonly #asked: () => readonly Asked[]
  readonly #backup: string
  #lost: Lost = NOTHING_LOST
  #position = -1

  constructor(
    product: DistributedProduct,
    way: Way,
    cluster: DoubleCluster | null,
    asked: () => readonly Asked[],
  ) {
    this.#product = product
    this.#way = way
    this.#cluster = cluster
    this.#asked = asked
    this.#backup = join(product.env['DATA_DIR'] ?? '', '..', 'backup')
  }

  get lost(): Lost {
    return this.#lost
  }

  /** Remembers the log as it is then. */
  save(): Fault {
    return this.#fault(`save (${this.#way})`, true, async () => {
      if (this.#way === 'server') await this.#product.postgres.save()
      else if (this.#way === 'backup') await this.#run('backup', this.#backup, '--without-key')
      else if (this.#way === 'node') this.#position = this.#nodes().log.records.length
      else this.#position = await this.#head()
    })
  }

  /** The log is what it was when it was saved. Where nobody has to accept that, the processes run again. */
  putBack(): Fault {
    return this.#fault(`put the log back (${this.#way})`, true, async () => {
      // One that is lost too: it is noted outside of the log.
      await this.#run('audit', 'seal')
      const before = await this.#putBack()
      this.#note(before, await this.#facts())
    })
  }

  /** Waits until every process has noticed, sees that nothing is begun or appended, and goes on from there. */
  accept(): Fault | null {
    if (this.#way === 'backup') return null
    return this.#fault(`accept the rollback (${this.#way})`, false, async () => {
      const processes = [...this.#product.processes('api'), ...this.#product.processes('relay')]
      await Promise.all(processes.map(noticed))
      const position = await this.#head()
      const [known, since] = [this.#asked().length, performance.now()]
      const begun = (): readonly Asked[] =>
        this.#asked()
          .slice(known)
          .filter(({ begunAt }) => begunAt > since)
      await until(
        'requests are refused while the log is not what it was',
        () => begun().length >= REFUSED_LEAST,
        NOTICED_TIMEOUT_MS,
      )
      expectStandstill(begun(), { before: position, after: await this.#head() })
      await this.#run('ledger', 'accept-rollback')
      // As docs/backup.md says of a log that was put back on purpose.
      const noted = join(this.#product.env['DATA_DIR'] ?? '', 'seals.jsonl')
      await rename(noted, `${noted}.lost`)
      // A database whose log is elsewhere has read models that have seen more than it.
      if (this.#way === 'log' || this.#way === 'node')
        await this.#run('projections', 'rebuild', 'all')
    })
  }

  /** How far the log reaches: a position, or for a cluster how many events it has. */
  async #head(): Promise<number> {
    if (this.#way === 'node') return eventsOf(this.#nodes()).length
    const [head] = positions.parse(await this.#product.query(HEAD))
    return head?.position ?? -1
  }

  /** Answers what the log had. */
  #putBack(): Promise<readonly Fact[]> {
    switch (this.#way) {
      case 'server':
        return this.#product.postgres.putBack(factsAt)
      case 'log':
        return this.#cutOff()
      case 'backup':
        return this.#restore()
      case 'node':
        return this.#promote()
      default:
        return this.#way satisfies never
    }
  }

  #note(before: readonly Fact[], kept: readonly Fact[]): void {
    const ids = new Set(kept.map(({ id }) => id))
    const lost = before.filter(({ id }) => !ids.has(id))
    const named = (type: Fact['type']) =>
      new Set(lost.filter((one) => one.type === type).map(({ name }) => name))
    this.#lost = { charges: named('UsageCharged'), redeemed: named('CodeRedeemed') }
    expectLoss(this.#lost)
  }

  async #promote(): Promise<readonly Fact[]> {
    const before = await this.#facts()
    await this.#nodes().promoteOne(this.#position)
    return before
  }

  async #facts(): Promise<readonly Fact[]> {
    const { databaseUrl } = this.#product
    return this.#way === 'node' ? clusterFacts(this.#nodes()) : factsAt(databaseUrl)
  }

  #nodes(): DoubleCluster {
    if (this.#cluster === null) throw new Error('the log is kept by no cluster')
    return this.#cluster
  }

  /** A fault of the engine that keeps the log. */
  #fault(name: string, isAlone: boolean, strike: () => Promise<void>): Fault {
    return { target: this.#way === 'node' ? 'cluster' : 'postgres', name, isAlone, strike }
  }

  /** The log alone, in one moment, while everybody works on it. */
  #cutOff(): Promise<readonly Fact[]> {
    return withClient(this.#product.databaseUrl, async (client) => {
      await client.query('begin; select from ledger.head for update')
      const before = await factsOf(client)
      await client.query(`
        set local session_replication_role = replica;
        delete from ledger.events where position > ${this.#position};
        update ledger.head set position = ${this.#position};
        commit`)
      return before
    })
  }

  /** Every process is killed, the database is made anew from the backup, and they start on it. */
  async #restore(): Promise<readonly Fact[]> {
    const { databaseUrl } = this.#product
    const processes = ROOTS.flatMap((root) => this.#product.processes(root))
    await Promise.all(processes.map((one) => one.kill()))
    const before = await withClient(databaseUrl, async (client) => {
      // Their statements under way are carried out, or not, before anybody looks.
      await client.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`)
      await until('nobody else is connected', async () => {
        const { rows } = await client.query(`
          select from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`)
        return rows.length === 0
      })
      return factsOf(client)
    })
    const admin = new URL(databaseUrl)
    const name = admin.pathname.slice(1)
    admin.pathname = '/postgres'
    await withClient(admin.href, async (client) => {
      await client.query(`drop database ${name} with (force)`)
      await client.query(`create database ${name}`)
    })
    await this.#run('restore', this.#backup)
    await Promise.all(processes.map((one) => one.start()))
    return before
  }

  async #run(command: string, ...words: readonly string[]): Promise<void> {
    await runTollgate(this.#product, command, ...words)
  }
}

/** Runs `npm run <command> -- <words>` beside the product; it has to succeed. Answers what it printed. */
export async function runTollgate(
  product: DistributedProduct,
  command: string,
  ...words: readonly string[]
): Promise<string> {
  const script = new URL(`../../infra/processes/commands/${command}-cli.ts`, import.meta.url)
  const { code, out, err } = await runCommand(script, words, product.env)
  expect(code, `npm run ${command} -- ${words.join(' ')} printed:\n${out}\n${err}`).toBe(0)
  return out
}

/** Nothing that was begun has finished, and nothing was appended. */
function expectStandstill(
  begun: readonly Asked[],
  head: { readonly before: number; readonly after: number },
): void {
  expect(begun.filter(({ isFinished }) => isFinished)).toEqual([])
  expect(head.after).toBe(head.before)
}

/** Else the run would show nothing. */
function expectLoss({ charges }: Lost): void {
  expect(charges.size).toBeGreaterThan(0)
}

/** Waits until a process says that the log is not the one it knew. */
const noticed = ({ url }: TollgateProcess): Promise<void> =>
  until(
    `${url} has noticed that the log was put back`,
    async () => {
      try {
        const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) })
        return (await answer.text()).includes('accept-rollback')
      } catch {
        // It stands still, or is cut off.
        return false
      }
    },
    NOTICED_TIMEOUT_MS,
  )

const HEAD = 'select position::float8 as position from ledger.head'
const positions = z.array(z.object({ position: z.number() }))

const FACTS = `
  select id::text, type, coalesce(data::jsonb->'request'->>'id', stream) as name
  from ledger.events where type in ('UsageCharged', 'CodeRedeemed')`
const facts = z.array(
  z.object({ id: z.string(), type: z.enum(['UsageCharged', 'CodeRedeemed']), name: z.string() }),
)
type Fact = z.infer<typeof facts>[number]

/** Events of the product, without those of the server and of probes. */
const eventsOf = ({ log }: DoubleCluster) => log.records.filter(({ type }) => !type.startsWith('$'))

const clusterFacts = (cluster: DoubleCluster): readonly Fact[] =>
  facts.parse(
    eventsOf(cluster)
      .filter(({ type }) => type === 'UsageCharged' || type === 'CodeRedeemed')
      .map(({ id, type, stream, data }) => {
        const { request } = charge.parse(JSON.parse(Buffer.from(data).toString('utf8')))
        return { id, type, name: request?.id ?? stream }
      }),
  )
const charge = z.object({ request: z.object({ id: z.string() }).optional() })

const factsOf = async (client: Client): Promise<readonly Fact[]> =>
  facts.parse((await client.query(FACTS)).rows)
const factsAt = (url: string): Promise<readonly Fact[]> => withClient(url, factsOf)

async function withClient<Result>(
  url: string,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
