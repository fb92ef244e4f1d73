import { chakra } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

/** A value in a list that filters the list by itself. */
export function Filtering(props: { value: string; onChoose: () => void; children?: ReactNode }) {
  const { t } = useTranslation()
  return (
    <chakra.button
      type="button"
      maxW="full"
      minW="0"
      truncate
      cursor="pointer"
      data-hint={t('list.filterBy', { value: props.value })}
      _hover={{ color: 'teal.fg', textDecoration: 'underline' }}
      onClick={props.onChoose}
    >
      {props.children ?? props.value}
    </chakra.button>
  )
}
