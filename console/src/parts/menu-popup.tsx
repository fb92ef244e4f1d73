import type { ReactElement } from 'react'
import { Menu } from './late/menu.ts'
import { PopupPortal } from './popup-portal.tsx'

/** A menu of actions, each with its text; `delete…` is shown as what it is. Fetched on demand. */
export default function MenuPopup(props: {
  button: ReactElement
  entries: readonly (readonly [string, string])[]
  act: (action: string) => void
}) {
  return (
    <Menu.Root
      lazyMount
      unmountOnExit
      defaultOpen
      positioning={{ placement: 'bottom-end' }}
      onSelect={({ value }) => props.act(value)}
    >
      <Menu.Trigger asChild>{props.button}</Menu.Trigger>
      <PopupPortal>
        <Menu.Positioner>
          <Menu.Content minW="40">
            {props.entries.map(([value, text]) => (
              <Menu.Item
                key={value}
                value={value}
                {...(value.startsWith('delete') ? { color: 'fg.error' } : {})}
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
