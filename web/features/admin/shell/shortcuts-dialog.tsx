import type { ReactNode } from 'react'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import type { ScreenGroup } from '../screens.ts'
import { switchKeys, useKeysAreOn } from './use-keys.ts'

export default function ShortcutsDialog({ groups, onClose }: { groups: ScreenGroup[]; onClose: () => void }) {
  const isOn = useKeysAreOn()
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2.5 text-sm">
        <Shortcut keys={['/']}>Search everywhere (also Ctrl K or ⌘ K)</Shortcut>
        {groups.map(({ path, title, letter }) => (
          <Shortcut key={path} keys={['g', letter]}>
            Go to {title}
          </Shortcut>
        ))}
        <Shortcut keys={['j', 'k']}>Move through the inbox</Shortcut>
        <Shortcut keys={['e']}>Put off until tomorrow</Shortcut>
        <Shortcut keys={['?']}>Show these shortcuts</Shortcut>
      </dl>
      <Checkbox label="Single-key shortcuts" checked={isOn} onTick={switchKeys} />
    </Dialog>
  )
}

function Shortcut({ keys, children }: { keys: string[]; children: ReactNode }) {
  return (
    <>
      <dt className="flex gap-1">
        {keys.map((key) => (
          <kbd
            key={key}
            className="min-w-7 rounded-sm border border-line bg-ground px-2 py-0.5 text-center font-mono text-xs"
          >
            {key}
          </kbd>
        ))}
      </dt>
      <dd>{children}</dd>
    </>
  )
}
