import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openShop } from '../testing/open-shop.ts'

test('the alerts and the dashboard only use what /metrics reports', async () => {
  // Without the connector, nothing is said about it.
  const shop = await openShop({ env: { TRADINGVIEW: 'on' } })
  const metricsText = await (await shop.visitor().fetch('/metrics')).text()
  await shop.close()
  const families = new Set([...metricsText.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
  for (const file of ['docs/alerts.yml', 'docs/grafana-dashboard.json']) {
    const usedNames = readFileSync(file, 'utf8').match(/\b(?:shop|process)_\w+/g) ?? []
    const names = usedNames.map((name) => name.replace(/_(bucket|count)$/, ''))
    expect(names.length, file).toBeGreaterThan(10)
    expect(names.filter((name) => !families.has(name))).toEqual([])
  }
})
