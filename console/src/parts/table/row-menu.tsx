import { IconButton } from '@chakra-ui/react'
import { Ellipsis } from 'lucide-react'
import type { ReactNode } from 'react'
import { lazy } from 'react'
import { OnDemand } from '../on-demand.tsx'

interface Props<Action extends string> {
  /** Says whose actions these are. */
  readonly label: string
  /** Each with its text; `delete` is shown as what it is. */
  readonly entries: readonly (readonly [Action, string])[]
  readonly act: (action: Action) => void
  /** The icon of a menu beside the usual one. */
  readonly icon?: ReactNode
}

const load = () => import('../menu-popup.tsx')
const Menu = lazy(load)

/** The actions on one row, behind an icon at its end. */
export function RowMenu<Action extends string>({ label, entries, act, icon }: Props<Action>) {
  return (
    <OnDemand
      kind="menu"
      load={load}
      button={
        <IconButton size="2xs" variant="ghost" aria-label={label}>
          {icon ?? <Ellipsis size={15} />}
        </IconButton>
      }
    >
      {(button) => (
        <Menu button={button} entries={entries} act={(action) => act(action as Action)} />
      )}
    </OnDemand>
  )
}
