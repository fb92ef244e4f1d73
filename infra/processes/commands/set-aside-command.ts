import { userId } from '@tollgate/domain/ids.ts'
import { setAside } from '../../set-aside/set-aside.ts'
import { redeliverRefused } from '../../bus/nats/refused-charges.ts'
import { readConfig } from '../config.ts'
import { reasonOf } from '../run-process.ts'
import { systemClock, systemRandomness } from '../runtime.ts'
import { WrongUsage } from './backup-terminal.ts'
import { withBus } from './with-bus.ts'
import { withPairedEngines } from './with-engines.ts'

const PLACE = /^([!-?A-~]+)@(\d{1,9})$/u
const ACCOUNT = /^account-(\d+)$/u
/** It stands in the ledger for ever; what does not fit into it belongs elsewhere. */
const REASON_LENGTH_MAX = 500

const HOW = `Name the event as /readyz and verify do, and say why, such as:
  npm run ledger -- set-aside account-7@12 --reason "written by the import script on 2 March"
`

/** `<stream>@<revision> --reason "…"`; answers what to say. Fails with WrongUsage, and as `setAside` does. */
export async function setAsideCommand(words: readonly string[]): Promise<string> {
  const [place = '', option, reason = '', ...more] = words
  const [, stream, digits] = PLACE.exec(place) ?? []
  if (stream === undefined || option !== '--reason' || more.length > 0) throw new WrongUsage(HOW)
  const why = reason.trim()
  if (why === '' || why.length > REASON_LENGTH_MAX) {
    throw new WrongUsage(`The reason has 1 to ${REASON_LENGTH_MAX} characters. ${HOW}`)
  }
  const revision = Number(digits)
  const [next] = await withPairedEngines(({ store }) => {
    const engines = { store, clock: systemClock, randomness: systemRandomness }
    return setAside(engines, { stream, revision }, why)
  })
  return next === undefined
    ? `Event ${revision} of ${stream} is set aside, and ${stream} goes on.\n${await deliverWaiting(stream)}`
    : `Event ${revision} of ${stream} is set aside. ${stream} stays locked: the one to be set aside next is ${stream}@${next}.\n`
}

/**
 * With NATS, charges that were refused while the account was locked lie in TOLLGATE_REFUSED: they are handed to the ledger
 * again, which takes each once. Answers what to say of it. Never fails, as the event is set aside by now.
 */
async function deliverWaiting(stream: string): Promise<string> {
  const config = readConfig(process.env)
  const digits = ACCOUNT.exec(stream)?.[1]
  if (digits === undefined || config.natsUrl === null) return ''
  const account = userId(Number(digits))
  try {
    const charges = await withBus(config, async ({ usage }) => {
      let published = 0
      for await (const { status } of redeliverRefused(usage, account)) {
        if (status === 'published') published += 1
      }
      return published
    })
    return charges === 0
      ? ''
      : `Charges that waited for it in TOLLGATE_REFUSED: ${charges}, handed to the ledger again.\n`
  } catch (error) {
    return `Charges that waited for it in TOLLGATE_REFUSED were not all handed to the ledger again (${reasonOf(error)}). Once NATS is there, run: npm run charges -- deliver --refused\n`
  }
}
