import { Box, chakra, Stack } from '@chakra-ui/react'
import { memo, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { SectionName } from './options.ts'

/** Leads to the sections of a long page and marks the one that is being read. */
export const Places = memo(function Places({
  places,
}: {
  places: readonly (SectionName | 'cleanup' | 'prices' | 'info')[]
}) {
  const { t } = useTranslation()
  const [current, choose] = useSectionInView(places)
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
              onClick={() => choose(place)}
              display="block"
              ps="2"
              borderInlineStartWidth="2px"
              borderColor={place === current ? 'teal.solid' : 'transparent'}
              color={place === current ? 'teal.fg' : 'fg.muted'}
              _hover={place === current ? {} : { color: 'fg' }}
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

/** Pixels of the window's top that the frame covers. */
const COVERED = 80

/**
 * The section that is being read: the first that reaches into the upper third of the window. At the page's end the last
 * one, which may never come up there, or the one whose link has just led there.
 */
function useSectionInView<Name extends string>(
  names: readonly Name[],
): readonly [Name | undefined, (name: Name) => void] {
  const [current, setCurrent] = useState(names[0])
  const chosen = useRef<Name>(undefined)
  useEffect(() => {
    chosen.current = undefined
    const look = () => {
      const page = document.documentElement
      const isAtEnd = window.scrollY > 0 && window.scrollY + innerHeight >= page.scrollHeight - 1
      if (!isAtEnd) chosen.current = undefined
      setCurrent((isAtEnd ? (chosen.current ?? names.at(-1)) : names.find(isRead)) ?? names[0])
    }
    look()
    addEventListener('scroll', look, { passive: true })
    addEventListener('resize', look)
    return () => {
      removeEventListener('scroll', look)
      removeEventListener('resize', look)
    }
  }, [names])
  const choose = (name: Name) => {
    chosen.current = name
    setCurrent(name)
  }
  return [names.includes(current as Name) ? current : names[0], choose]
}

function isRead(name: string): boolean {
  const box = document.getElementById(name)?.getBoundingClientRect()
  return box !== undefined && box.bottom > COVERED && box.top < innerHeight / 3
}
