import { Box, chakra, Stack } from '@chakra-ui/react'
import { memo, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SectionName } from './options.ts'

/** Leads to the sections of a long page and marks the one that is being read. */
export const Places = memo(function Places({
  places,
}: {
  places: readonly (SectionName | 'cleanup' | 'prices' | 'info')[]
}) {
  const { t } = useTranslation()
  const current = useSectionInView(places)
  return (
    <Box
      as="nav"
      aria-label={t('settings.places')}
      hideBelow="lg"
      position="sticky"
      top="68px"
      fontSize="sm"
    >
      <Stack as="ul" gap="1" listStyleType="none">
        {places.map((place) => (
          <li key={place}>
            <chakra.a
              href={`#${place}`}
              display="block"
              ps="2"
              borderInlineStartWidth="2px"
              borderColor={place === current ? 'teal.solid' : 'transparent'}
              color={place === current ? 'fg' : 'fg.muted'}
              _hover={{ color: 'fg' }}
              {...(place === current ? { 'aria-current': 'location' as const } : {})}
            >
              {t(`settings.section_${place}`)}
            </chakra.a>
          </li>
        ))}
      </Stack>
    </Box>
  )
})

/** The first of the sections that reaches into the upper third of the window. */
function useSectionInView<Name extends string>(names: readonly Name[]): Name | undefined {
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set())
  const all = names.join()
  useEffect(() => {
    const watcher = new IntersectionObserver(
      (entries) =>
        setShown((old) => {
          const next = new Set(old)
          for (const { target, isIntersecting } of entries) {
            if (isIntersecting) next.add(target.id)
            else next.delete(target.id)
          }
          return next
        }),
      { rootMargin: '-80px 0px -66% 0px' },
    )
    for (const name of all.split(',')) {
      const section = document.getElementById(name)
      if (section) watcher.observe(section)
    }
    return () => watcher.disconnect()
  }, [all])
  return names.find((name) => shown.has(name)) ?? names[0]
}
