/** What the server finds in a record, the worst first; each finding leads to its place. */
import { Alert, Anchor, Badge, Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { IconCircleCheck } from '../../../layout/icons/icons';
import type { Issue } from '../../../api/failure';
import { texts } from '../../../texts';

const { editing } = texts;
const SEVERITIES = ['fatal', 'error', 'warning', 'information'] as const;
const COLORS = { fatal: 'red', error: 'red', warning: 'orange', information: 'blue' } as const;

export interface ValidationListProps {
  readonly issues: readonly Issue[];
  readonly onGo: (issue: Issue) => void;
}

/** A validation without findings has one note that says so. */
export function isFinding({ severity, expression, code }: Issue): boolean {
  return severity !== 'information' || expression.length > 0 || code !== 'informational';
}

/** Findings of a kind that are shown at once. */
const PART = 50;

export function ValidationList({ issues, onGo }: ValidationListProps) {
  const [shown, setShown] = useState(PART);
  const findings = issues.filter(isFinding);
  if (findings.length === 0)
    return (
      <Alert color="teal" role="status" icon={<IconCircleCheck aria-hidden />}>
        {editing.valid}
      </Alert>
    );
  return (
    <Stack gap="sm" role="status" aria-label={editing.issueCount(findings.length)}>
      {SEVERITIES.map((severity) => {
        const group = findings.filter((issue) => issue.severity === severity);
        const part = group.slice(0, shown);
        if (group.length === 0) return null;
        return (
          <section key={severity}>
            <Group gap="xs" mb={4}>
              <Title order={2} size="h6">
                {editing.issuesOf[severity]}
              </Title>
              <Badge size="sm" color={COLORS[severity]} variant="dot">
                {group.length}
              </Badge>
            </Group>
            <List size="sm" spacing="xs">
              {part.map((issue) => (
                <Finding key={`${issue.expression.join()} ${issue.text}`} issue={issue} onGo={onGo} />
              ))}
            </List>
            {part.length === group.length ? null : (
              <Button variant="default" size="compact-xs" mt="xs" onClick={() => setShown(shown + PART)}>
                {texts.common.morePart(part.length, group.length)}
              </Button>
            )}
          </section>
        );
      })}
    </Stack>
  );
}

function Finding({ issue, onGo }: { readonly issue: Issue; readonly onGo: ValidationListProps['onGo'] }) {
  const [place] = issue.expression;
  return (
    <List.Item style={{ overflowWrap: 'anywhere' }}>
      {place === undefined ? null : (
        <Anchor
          component="button"
          type="button"
          size="sm"
          ff="monospace"
          ta="left"
          aria-label={editing.goTo(place)}
          onClick={() => onGo(issue)}
        >
          {place}
        </Anchor>
      )}
      <Text size="sm">{issue.text}</Text>
    </List.Item>
  );
}
