import { DoubleLog } from './log.ts'
import { type EventStoreDbDouble, startEventStoreDbDouble } from './double.ts'

/** Three stand-in nodes over one log, of which one leads. */
export interface DoubleCluster {
  /** All nodes, as an operator names them. */
  readonly connectionString: string
  readonly log: DoubleLog
  readonly nodes: readonly EventStoreDbDouble[]
  /** Null while nobody has been elected in the place of one that was lost. */
  readonly leader: EventStoreDbDouble | null
  /** This one leads from now on; the others follow it, and read what stood in the log at this moment. */
  elect(next: EventStoreDbDouble): void
  /**
   * The one node that is left had lagged, and holds no more than so many records: it leads, and the others, back again,
   * follow it. Connections are cut; what came after these records is lost.
   */
  promoteOne(records: number): Promise<void>
  /** Nobody leads: the leader is gone, or stands still, and its followers do not know of another. */
  lose(): void
  close(): Promise<void>
}

const NODES = 3

/** Starts them; the first one leads. */
export async function startDoubleCluster(): Promise<DoubleCluster> {
  const log = new DoubleLog()
  const nodes = await Promise.all(Array.from({ length: NODES }, () => startEventStoreDbDouble(log)))
  let leader: EventStoreDbDouble | null = null
  const elect = (next: EventStoreDbDouble): void => {
    next.lead()
    for (const node of nodes) if (node !== next) node.follow(next)
    leader = next
  }
  const [first] = nodes
  if (first !== undefined) elect(first)
  return {
    connectionString: `esdb://${nodes.map(({ host }) => host).join(',')}?tls=false`,
    log,
    nodes,
    get leader() {
      return leader
    },
    elect,
    async promoteOne(records) {
      await Promise.all(nodes.map((node) => node.die()))
      log.putBack(records)
      const lagging = nodes.find((node) => node !== leader)
      if (lagging !== undefined) elect(lagging)
      await Promise.all(nodes.map((node) => node.comeBack()))
    },
    lose() {
      leader = null
    },
    async close() {
      await Promise.all(nodes.map((node) => node.close()))
    },
  }
}
