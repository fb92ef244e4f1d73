import { useTranslation } from 'react-i18next'
import { Textarea } from '../parts/late/textarea.ts'
import { NoticeDialog } from '../parts/notice-dialog.tsx'

/** Shows a text that could not be copied, selected, for copying by hand. */
export default function ManualCopyDialog({ text, onClose }: { text: string; onClose: () => void }) {
  const { t } = useTranslation()
  return (
    <NoticeDialog title={t('copy.manually')} onClose={onClose}>
      <Textarea
        readOnly
        rows={4}
        value={text}
        fontFamily="mono"
        aria-label={t('copy.manually')}
        onFocus={(event) => event.target.select()}
      />
    </NoticeDialog>
  )
}
