/** The way between the screens of the server. */
import { Button, Group } from '@mantine/core';
import { useContext, type ReactNode } from 'react';
import { Link } from 'react-router';
import { CurrentScreen } from '../../layout/current-screen';
import { texts } from '../../texts';

export default function ServerFrame({ children }: { readonly children: ReactNode }) {
  const { section, screen } = useContext(CurrentScreen);
  return (
    <>
      <nav aria-label={texts.server.screens}>
        <Group gap={4} mb="lg">
          {section.screens.map(({ path, title }) => {
            const isHere = path === screen?.path;
            return (
              <Button
                key={path}
                component={Link}
                to={path}
                size="compact-sm"
                variant={isHere ? 'light' : 'subtle'}
                color={isHere ? 'orange' : 'gray'}
                aria-current={isHere ? 'page' : undefined}
              >
                {title}
              </Button>
            );
          })}
        </Group>
      </nav>
      {children}
    </>
  );
}
