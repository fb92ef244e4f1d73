import { Flex, Text } from '@chakra-ui/react'
import type { UseQueryResult } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { BusyButton } from '../../parts/busy-button.tsx'

/** Says that the names of known models cannot be had, which the form can do without, and asks for them again. */
export function ModelsMissing({ list }: { list: UseQueryResult }) {
  const { t } = useTranslation()
  if (!list.isError) return null
  return (
    <Flex role="alert" align="center" gap="2" wrap="wrap">
      <Text color="fg.error" fontSize="sm" overflowWrap="anywhere">
        {t('channels.listFailed', { reason: list.error.message })}
      </Text>
      <BusyButton
        size="xs"
        variant="outline"
        isBusy={list.isFetching}
        onClick={() => void list.refetch()}
      >
        {t('action.retry')}
      </BusyButton>
    </Flex>
  )
}
