import { writeSync } from 'node:fs'
import type { ChargeSpool } from '@tollgate/relay/holds/charge-spool.ts'
import { diskSpool } from '../../spool/disk-spool.ts'
import { spoolDelivery } from '../../spool/spool-delivery.ts'
import { spoolFolder } from '../../spool/spool-folder.ts'
import type { Config } from '../config.ts'
import { diskWriteProbe } from '../engines/engine-probe.ts'
import { together } from '../engines/readiness.ts'
import { repeating } from '../timers/repeating.ts'
import type { Runtime } from '../runtime.ts'
import type { LedgerAccess } from './compose-ledger.ts'

/** How often the spool is looked through for what other processes have left there. */
const LOOK_MS = 10_000
/** A start waits this long for the delivery of what the last run left: the ledger may be away. */
const FIRST_ROUND_MS = 5_000

const UNSPOOLED =
  'meanwhile each charge that waits for the ledger is printed to the log as one line: npm run charges -- deliver takes the log'

/** The spool of a process with a relay, and the delivery of what others left in it. */
export interface ComposedSpool {
  readonly spool: ChargeSpool
  /** A problem that an operator should know; null when the spool is empty and could be written to. */
  warning(): string | null
  /** Whether the disk of DATA_DIR takes writes; null when it does. */
  readonly spoolProblem: () => Promise<string | null>
  stop(): Promise<void>
}

/** Delivers what former runs left in the spool; resolves when that is done or takes long, and goes on with it. */
export async function composeSpool(
  { dataDir }: Pick<Config, 'dataDir'>,
  runtime: Pick<Runtime, 'clock' | 'logger'>,
  { journal }: Pick<LedgerAccess, 'journal'>,
): Promise<ComposedSpool> {
  const { clock, logger } = runtime
  const folder = spoolFolder(dataDir)
  const now = (): number => clock.now()
  const spool = diskSpool({ folder, now, printLine: printToErrorOutput })
  const delivery = spoolDelivery({ folder, spool, journal, now, logger })
  const disk = diskWriteProbe(dataDir, runtime)
  const stopping = new AbortController()
  let isLooking = false
  let diskProblem: string | null = null
  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    await delivery.round(stopping.signal)
    diskProblem = await disk()
    isLooking = false
  }
  await Promise.race([look(), clock.sleep(FIRST_ROUND_MS, stopping.signal)])
  const looking = repeating(LOOK_MS, look, (err) =>
    logger.warn({ err }, 'spool: not looked through'),
  )
  return {
    spool,
    warning: () =>
      together(delivery.warning(), diskProblem === null ? null : `${diskProblem}; ${UNSPOOLED}`),
    spoolProblem: disk,
    async stop() {
      // A round under way may wait for a ledger that is unavailable; nothing is lost when it ends with the process.
      stopping.abort()
      await looking.stop()
    },
  }
}

/** Where the log goes; a reader that is slow is waited for, in turns of 10 ms. */
const ERROR_OUTPUT = 2
const TURNS_MAX = 200

function printToErrorOutput(line: string): void {
  let bytes = Buffer.from(line)
  for (let turn = 0; bytes.length > 0 && turn < TURNS_MAX; turn++) {
    try {
      bytes = bytes.subarray(writeSync(ERROR_OUTPUT, bytes))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}
