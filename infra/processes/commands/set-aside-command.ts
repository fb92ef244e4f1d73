import { setAside } from '../../set-aside/set-aside.ts'
import { systemClock, systemRandomness } from '../world.ts'
import { WrongUsage } from './backup-terminal.ts'
import { withPairedEngines } from './with-engines.ts'

const PLACE = /^([!-?A-~]+)@(\d{1,9})$/u
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
  return withPairedEngines(async ({ store }) => {
    const engines = { store, clock: systemClock, randomness: systemRandomness }
    const [next] = await setAside(engines, { stream, revision }, why)
    return next === undefined
      ? `Event ${revision} of ${stream} is set aside, and ${stream} goes on.\n`
      : `Event ${revision} of ${stream} is set aside. ${stream} stays locked: the one to be set aside next is ${stream}@${next}.\n`
  })
}
