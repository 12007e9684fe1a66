import { type Problem, settings } from '#contract/desk/settings.ts'
import { CallButton } from '#web/api/call-button.tsx'
import { useData } from '#web/api/client.ts'
import { Card } from '#web/ui/card.tsx'
import { Badge } from '#web/ui/notice.tsx'
import { toast } from '#web/ui/toast.tsx'
import { Pending } from '../lists/record-table.tsx'
import { EditableCard, groups, sectionId } from './editable-card.tsx'
import { Environment, Line, Marked, PaymentsCard } from './environment.tsx'
import { PhotoField } from './photo-field.tsx'

const sections = ['Payments', 'Email', ...groups.map(({ title }) => title), 'Set on the server']

export default function Settings() {
  const query = useData(settings.adminShow, {})
  const { data } = query
  if (!data) return <Pending query={query} />
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[1fr_20rem]">
      <div className="flex min-w-0 flex-col gap-6">
        <Problems problems={data.problems} />
        <PaymentsCard />
        <MailCard goesTo={data.mailsGoTo} />
        {groups.map((group) => (
          <EditableCard key={group.title} group={group} settings={data.settings}>
            {group.hasPhoto && <PhotoField photo={data.photo} source={data.photoSource} />}
          </EditableCard>
        ))}
        <Environment settings={data.settings} />
      </div>
      <nav aria-label="Settings" className="flex flex-col text-sm max-lg:hidden lg:sticky lg:top-22">
        {sections.map((title) => (
          <a key={title} href={`#${sectionId(title)}`} className="py-2 font-medium text-muted hover:text-ink">
            {title}
          </a>
        ))}
      </nav>
    </div>
  )
}

function Problems({ problems }: { problems: Problem[] }) {
  if (problems.length === 0) return null
  return (
    <Card className="flex flex-col gap-4">
      <h2 className="flex items-center gap-3 text-lg">
        Setup checklist <Badge tone="bad">{problems.length}</Badge>
      </h2>
      <ul className="flex flex-col gap-3">
        {problems.map(({ text, mend, isUrgent }) => (
          <Line key={text} state={isUrgent ? 'todo' : 'warning'}>
            <Marked text={text} />{' '}
            <span className="text-muted">
              <Marked text={mend} />
            </span>
          </Line>
        ))}
      </ul>
    </Card>
  )
}

function MailCard({ goesTo }: { goesTo: string }) {
  return (
    <Card id={sectionId('Email')} className="flex flex-wrap items-center gap-x-6 gap-y-3">
      <div className="min-w-0 flex-1 basis-60">
        <h2 className="text-lg">Email</h2>
        <p className="text-sm break-words text-muted">Emails go to {goesTo}.</p>
      </div>
      <CallButton
        call={settings.adminTestMail}
        input={{}}
        options={{
          failed: 'The test failed',
          onSuccess: ({ to }) =>
            toast({ title: 'Test email sent', description: `Check the inbox of ${to}.` }),
        }}
        variant="secondary"
        pendingText="Sending..."
      >
        Send me a test email
      </CallButton>
    </Card>
  )
}
