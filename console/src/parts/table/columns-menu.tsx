import type { ReactElement } from 'react'
import { Menu } from '../late/menu.ts'
import { PopupPortal } from '../popup-portal.tsx'

/** The menu that shows and hides columns. Fetched on demand. */
export default function ColumnsMenu(props: {
  button: ReactElement
  columns: readonly { readonly id: string; readonly label: string }[]
  visibility: Record<string, boolean>
  onChange: (column: string, isShown: boolean) => void
}) {
  return (
    <Menu.Root closeOnSelect={false} lazyMount unmountOnExit defaultOpen>
      <Menu.Trigger asChild>{props.button}</Menu.Trigger>
      <PopupPortal>
        <Menu.Positioner>
          <Menu.Content minW="44" maxH="60vh" overflowY="auto">
            {props.columns.map((column) => (
              <Menu.CheckboxItem
                key={column.id}
                value={column.id}
                checked={props.visibility[column.id] !== false}
                onCheckedChange={(isShown) => props.onChange(column.id, isShown)}
              >
                {column.label}
                <Menu.ItemIndicator />
              </Menu.CheckboxItem>
            ))}
          </Menu.Content>
        </Menu.Positioner>
      </PopupPortal>
    </Menu.Root>
  )
}
