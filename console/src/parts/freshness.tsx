import { Flex, IconButton, Text } from '@chakra-ui/react'
import { RotateCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { clock } from './time-format.ts'

/** When the figures in view were read, and the button that reads them again. */
export function Freshness(props: { readAt: number; isReading: boolean; onRefresh: () => void }) {
  const { t } = useTranslation()
  return (
    <Flex align="center" gap="1" color="fg.muted" fontSize="xs">
      <Text fontVariantNumeric="tabular-nums" whiteSpace="nowrap">
        {props.readAt > 0 ? t('table.asOf', { time: clock(props.readAt / 1000) }) : ''}
      </Text>
      <IconButton
        size="xs"
        variant="ghost"
        aria-label={t('action.refresh')}
        data-hint={t('action.refresh')}
        loading={props.isReading}
        onClick={props.onRefresh}
      >
        <RotateCw size={14} />
      </IconButton>
    </Flex>
  )
}
