import type { Life, Machine, QuestionKind } from '../core/machine.ts'
import type { Runtime } from '../core/simulated-runtime.ts'

/** The way between processes: messages are lost, repeated, late and out of order, and pairs of processes are cut apart. */
export interface Network {
  /**
   * Asks whoever listens and waits for the first answer. Resolves with null when none came in time: the question may
   * have been heard all the same, also more than once.
   */
  ask<Answer>(question: Question<Answer>): Promise<Answer | null>
  /** From now on nothing passes between two machines, or all does again. */
  setCut(one: string, other: string, isCut: boolean): void
  /** From now on a machine reaches nobody over the broker, nor the journal in it, or does again. */
  setPartitioned(machine: string, isAlone: boolean): void
  isAlone(machine: string): boolean
  /** When a machine came back to the broker, milliseconds since the beginning; 0 = it was never away. */
  backSince(machine: string): number
}

export interface Question<Answer> {
  readonly from: Life
  /** The listeners, each of which gets the message; looked up when it is sent. */
  readonly to: () => readonly Machine[]
  /** The listener's work on it; a failure, or null, is an answer that never comes. */
  readonly hear: (listener: Machine) => Promise<Answer | null>
  readonly timeoutMs: number
  readonly kind?: QuestionKind
  /** Not repeated on its way: the other would do it twice. */
  readonly isOnce?: boolean
}

const LATENCY_MS = [1, 15] as const
const SLOW_MS = [50, 6_000] as const

/** See `Network`. */
export function makeNetwork(runtime: Runtime): Network {
  const { scheduler, chances } = runtime
  const cuts = new Set<string>()
  const alone = new Set<string>()
  const back = new Map<string, number>()
  const nameOf = (one: string, other: string): string => [one, other].toSorted().join(' ')
  const isCut = (from: string, to: string): boolean =>
    cuts.has(nameOf(from, to)) || alone.has(from) || alone.has(to)

  /** One message: calls `arrive` not at all, once or twice. */
  function transmit(from: string, to: string, isOnce: boolean, arrive: () => void): void {
    const { lost, repeated, slow } = runtime.faults()
    const send = (): void => {
      if (isCut(from, to) || chances.chance(lost)) return
      const [least, most] = chances.chance(slow) ? SLOW_MS : LATENCY_MS
      scheduler.at(scheduler.now() + chances.whole(least, most), () => {
        if (!isCut(from, to)) arrive()
      })
    }
    send()
    if (!isOnce && chances.chance(repeated)) send()
  }

  return {
    ask: <Answer>(question: Question<Answer>) =>
      new Promise<Answer | null>((resolve) => {
        const { from, to, hear, timeoutMs, isOnce = false, kind = 'other' } = question
        const timeout = from.after(timeoutMs, () => resolve(null))
        const arrived = (answer: Answer): void => {
          timeout.cancel()
          resolve(answer)
        }
        from.send(() => {
          for (const machine of to()) {
            transmit(from.name, machine.name, isOnce, () => {
              const listener = machine.life()
              listener?.after(0, () => {
                const reply = (answer: Answer | null): void => {
                  if (answer === null) return
                  listener.send(() =>
                    transmit(machine.name, from.name, isOnce, () =>
                      from.after(0, () => arrived(answer)),
                    ),
                  )
                }
                void hear(machine).then(reply, () => undefined)
              })
            })
          }
        }, kind)
      }),
    setCut(one, other, isCut) {
      runtime.trace(() => `${one} and ${other} ${isCut ? 'cannot reach each other' : 'are joined'}`)
      if (isCut) cuts.add(nameOf(one, other))
      else cuts.delete(nameOf(one, other))
    },
    setPartitioned(machine, isAlone) {
      runtime.trace(() => `${machine} ${isAlone ? 'reaches nobody' : 'is back among the others'}`)
      if (isAlone) alone.add(machine)
      else if (alone.delete(machine)) back.set(machine, scheduler.now())
    },
    isAlone: (machine) => alone.has(machine),
    backSince: (machine) => back.get(machine) ?? 0,
  }
}
