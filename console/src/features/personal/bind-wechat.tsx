import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { get } from '../../core/api.ts'
import { selfQuery } from '../../core/status.ts'
import { notifySuccess } from '../../parts/notify.tsx'
import { WeChatDialog } from '../../parts/wechat-dialog.tsx'

/** Binds WeChat by the code that the operator's account there sends. */
export function BindWeChat({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const bind = useMutation({
    mutationFn: (code: string) => get('/api/oauth/wechat/bind', { code }),
    meta: { isSaidElsewhere: () => true },
    onSuccess: async () => {
      notifySuccess(t('personal.wechatBound'))
      onClose()
      await client.invalidateQueries({ queryKey: selfQuery.queryKey })
    },
  })
  return (
    <WeChatDialog
      title={t('personal.bindWeChat')}
      submitLabel={t('personal.bind')}
      isBusy={bind.isPending}
      error={bind.error}
      onCode={bind.mutate}
      onClose={onClose}
    />
  )
}
