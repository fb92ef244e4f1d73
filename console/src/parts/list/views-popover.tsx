import { Button, Flex, IconButton, Input, Stack, Text } from '@chakra-ui/react'
import { X } from 'lucide-react'
import type { FormEvent, ReactElement } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { usePreference } from '../../core/preferences.ts'
import { Popover } from '../late/popover.ts'
import { PopupPortal } from '../popup-portal.tsx'
import type { AnySearch } from './filters.ts'
import { filtersOf } from './filters.ts'

interface SavedView {
  readonly name: string
  readonly search: AnySearch
}

/** The popover of saved views. Fetched on demand. */
export default function ViewsPopover(props: {
  button: ReactElement
  list: string
  search: AnySearch
  onSearch: (search: AnySearch) => void
}) {
  const { t } = useTranslation()
  const [views, store] = useViews(props.list)
  const [name, setName] = useState('')
  const [isOpen, setOpen] = useState(true)
  const save = (event: FormEvent) => {
    event.preventDefault()
    const wanted = name.trim()
    if (wanted === '') return
    const others = views.filter((view) => view.name !== wanted)
    store([...others, { name: wanted, search: filtersOf(props.search) }])
    setName('')
  }
  return (
    <Popover.Root
      lazyMount
      unmountOnExit
      open={isOpen}
      onOpenChange={({ open }) => setOpen(open)}
      positioning={{ placement: 'bottom-end' }}
    >
      <Popover.Trigger asChild>{props.button}</Popover.Trigger>
      <PopupPortal>
        <Popover.Positioner>
          <Popover.Content p="3" css={{ '--popover-size': '260px' }} aria-label={t('list.views')}>
            <Stack gap="2">
              {views.length === 0 ? (
                <Text fontSize="xs" color="fg.muted">
                  {t('list.noViews')}
                </Text>
              ) : null}
              {views.map((view) => (
                <Flex key={view.name} gap="1">
                  <Button
                    size="xs"
                    variant="ghost"
                    color="fg"
                    flex="1"
                    minW="0"
                    justifyContent="flex-start"
                    onClick={() => {
                      props.onSearch(view.search)
                      setOpen(false)
                    }}
                  >
                    <Text as="span" truncate>
                      {view.name}
                    </Text>
                  </Button>
                  <IconButton
                    size="xs"
                    variant="ghost"
                    aria-label={t('list.deleteView', { name: view.name })}
                    onClick={() => store(views.filter((other) => other !== view))}
                  >
                    <X size={13} aria-hidden />
                  </IconButton>
                </Flex>
              ))}
              <form onSubmit={save}>
                <Flex gap="1.5">
                  <Input
                    size="xs"
                    value={name}
                    maxLength={40}
                    aria-label={t('list.viewName')}
                    placeholder={t('list.viewName')}
                    onChange={(event) => setName(event.target.value)}
                  />
                  <Button size="xs" type="submit">
                    {t('action.save')}
                  </Button>
                </Flex>
              </form>
            </Stack>
          </Popover.Content>
        </Popover.Positioner>
      </PopupPortal>
    </Popover.Root>
  )
}

function useViews(
  list: string,
): readonly [readonly SavedView[], (views: readonly SavedView[]) => void] {
  const [stored, store] = usePreference('saved-views', '{}')
  const all = parsed(stored)
  return [all[list] ?? [], (views) => store(JSON.stringify({ ...all, [list]: views }))]
}

function parsed(text: string): Record<string, readonly SavedView[] | undefined> {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object'
      ? (value as Record<string, readonly SavedView[]>)
      : {}
  } catch {
    // A damaged entry means none; the next one saved overwrites it.
    return {}
  }
}
