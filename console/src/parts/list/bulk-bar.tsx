import { Button, chakra, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

/** The actions on the ticked rows, above them. */
export function BulkBar(props: { count: number; onClear: () => void; children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <chakra.fieldset
      display="flex"
      alignItems="center"
      gap="2"
      px="3"
      py="1.5"
      flexWrap="wrap"
      bg="teal.subtle"
      color="teal.fg"
      aria-label={t('table.selected', { n: props.count })}
    >
      <Text>{t('table.selected', { n: props.count })}</Text>
      <Button size="2xs" variant="ghost" color="inherit" me="auto" onClick={props.onClear}>
        {t('list.clearSelection')}
      </Button>
      {props.children}
    </chakra.fieldset>
  )
}
