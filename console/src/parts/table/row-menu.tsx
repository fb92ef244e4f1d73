import { IconButton, Menu } from '@chakra-ui/react'
import { Ellipsis } from 'lucide-react'
import { PopupPortal } from '../popup-portal.tsx'

interface Props<Action extends string> {
  /** Says whose actions these are. */
  readonly label: string
  /** Each with its text; `delete` is shown as what it is. */
  readonly entries: readonly (readonly [Action, string])[]
  readonly act: (action: Action) => void
}

/** What can be done with one row, behind an icon at its end. */
export function RowMenu<Action extends string>({ label, entries, act }: Props<Action>) {
  return (
    <Menu.Root
      lazyMount
      unmountOnExit
      positioning={{ placement: 'bottom-end' }}
      onSelect={({ value }) => act(value as Action)}
    >
      <Menu.Trigger asChild>
        <IconButton size="2xs" variant="ghost" aria-label={label}>
          <Ellipsis size={15} />
        </IconButton>
      </Menu.Trigger>
      <PopupPortal>
        <Menu.Positioner>
          <Menu.Content minW="40">
            {entries.map(([value, text]) => (
              <Menu.Item
                key={value}
                value={value}
                {...(value === 'delete' ? { color: 'fg.error' } : {})}
              >
                {text}
              </Menu.Item>
            ))}
          </Menu.Content>
        </Menu.Positioner>
      </PopupPortal>
    </Menu.Root>
  )
}
