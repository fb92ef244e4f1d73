import { setTimeout as pause } from 'node:timers/promises'
import type { DistributedProduct } from '../support/distributed-product.ts'
import { descendantsOf, signal, until } from '../support/processes.ts'
import type { Root, TollgateProcess } from '../support/tollgate-process.ts'

/** Something that goes wrong, and is mended. */
export interface Fault {
  /** Such as `kill relay 1 for 800 ms`. */
  readonly name: string
  /** The thing that is struck: one thing is not struck twice at the same time. */
  readonly target: string
  /** Nothing else may be struck meanwhile. */
  readonly isAlone?: boolean
  /** Resolves when all is mended. */
  strike(): Promise<void>
}

/** Kinds of processes and engines that can be killed. */
const TARGETS = ['api', 'relay', 'projector', 'nats', 'postgres'] as const
const CUTS = ['reset', 'silence', 'forget'] as const
/** A process that starts anew while an engine is unavailable ends again; it is started until it stands. */
const REVIVE_TIMEOUT_MS = 90_000

export class Faults {
  readonly #product: DistributedProduct
  readonly #chance: () => number

  constructor(product: DistributedProduct, chance: () => number) {
    this.#product = product
    this.#chance = chance
  }

  /** A kill of each kind of process and of each engine, in an order left to chance. */
  kills(): Fault[] {
    const order = TARGETS.map((target) => ({ target, at: this.#chance() }))
    return order
      .toSorted((one, other) => one.at - other.at)
      .map(({ target }) => this.#killOf(target))
  }

  /**
   * Any fault of anything: killed, stopped for a while, or cut off from one engine. Without kills a process keeps what
   * it has in memory.
   */
  any(isKilling = true): Fault {
    const target = TARGETS[Math.floor(this.#chance() * TARGETS.length)] ?? 'relay'
    const dice = this.#chance()
    if (isKilling && dice < 0.35) return this.#killOf(target)
    return dice < 0.65 ? this.#standstillOf(target) : this.cut()
  }

  /** One process loses one engine, with its connections broken, silent or forgotten, and both go on. */
  cut(): Fault {
    const { links } = this.#product
    const link = links[Math.floor(this.#chance() * links.length)]
    if (link === undefined) throw new Error('the product has no wires that can be cut')
    const how = CUTS[Math.floor(this.#chance() * CUTS.length)] ?? 'reset'
    const forMs = this.#between(300, 8_000)
    return fault(link.name, `cut ${link.name} for ${forMs} ms (${how})`, async () => {
      link.cut(how)
      await pause(forMs)
      link.mend()
    })
  }

  #killOf(target: (typeof TARGETS)[number]): Fault {
    const partitionedMs = this.#between(0, 2_500)
    const { nats, postgres } = this.#product
    switch (target) {
      case 'nats':
        return fault(target, `kill nats for ${partitionedMs} ms`, async () => {
          await nats.kill()
          await pause(partitionedMs)
          await nats.start()
        })
      case 'postgres':
        return fault(target, 'kill postgres', async () => {
          // The part of the test that started it starts it again, as a service manager would.
          signal(postgres.pid(), 'SIGKILL')
          await until('PostgreSQL answers again', () => this.#answers(), REVIVE_TIMEOUT_MS)
        })
      case 'api':
      case 'relay':
      case 'projector': {
        const [process, number] = this.#pick(target)
        return fault(
          `${target} ${number}`,
          `kill ${target} ${number} for ${partitionedMs} ms`,
          async () => {
            await process.kill()
            await pause(partitionedMs)
            await revive(process)
          },
        )
      }
      default:
        return target satisfies never
    }
  }

  /** SIGSTOP and SIGCONT: connections stay, nothing answers, clocks go on. Processes may outlast their leases. */
  #standstillOf(target: (typeof TARGETS)[number]): Fault {
    const { nats, postgres } = this.#product
    const isEngine = target === 'nats' || target === 'postgres'
    const forMs = this.#between(300, isEngine ? 3_000 : 8_000)
    if (isEngine) {
      return fault(target, `stop ${target} for ${forMs} ms`, () =>
        standStill(target === 'nats' ? nats.pid() : postgres.pid(), forMs),
      )
    }
    const [process, number] = this.#pick(target)
    return fault(`${target} ${number}`, `stop ${target} ${number} for ${forMs} ms`, () =>
      standStill(process.pid(), forMs),
    )
  }

  #pick(root: Root): readonly [TollgateProcess, number] {
    const all = this.#product.processes(root)
    const number = Math.floor(this.#chance() * all.length)
    const process = all[number]
    if (process === undefined) throw new Error(`there is no ${root}`)
    return [process, number + 1]
  }

  #answers(): Promise<boolean> {
    return this.#product.query('select 1').then(
      () => true,
      () => false,
    )
  }

  #between(least: number, most: number): number {
    return Math.round(least + this.#chance() * (most - least))
  }
}

const fault = (target: string, name: string, strike: () => Promise<void>): Fault => ({
  target,
  name,
  strike,
})

async function standStill(pid: number, forMs: number): Promise<void> {
  const pids = [pid, ...descendantsOf(pid)]
  for (const one of pids) signal(one, 'SIGSTOP')
  await pause(forMs)
  for (const one of pids) signal(one, 'SIGCONT')
}

async function revive(process: TollgateProcess): Promise<void> {
  const deadline = Date.now() + REVIVE_TIMEOUT_MS
  for (;;) {
    try {
      await process.start()
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}
