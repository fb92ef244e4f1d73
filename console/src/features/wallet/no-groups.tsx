import { Text } from '@chakra-ui/react'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { userGroupsQuery } from '../../parts/user-groups.ts'

/** Says before anything is paid that a balance would be of no use yet: no group is there to run requests in. */
export function NoGroups() {
  const { t } = useTranslation()
  const groups = useQuery(userGroupsQuery).data
  if (groups === undefined || Object.keys(groups).length > 0) return null
  return (
    <Text role="alert" bg="bg.warning" color="fg.warning" borderRadius="l2" px="3" py="2" mb="4">
      {t('wallet.noGroups')}
    </Text>
  )
}
