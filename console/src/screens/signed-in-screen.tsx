/** The address to which the sign-in pages lead back. */
import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { finishSignIn } from '../api/session';
import { FailureView } from '../layout/failure-view';
import { Loading } from '../layout/loaded';

export default function SignedInScreen() {
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>();
  const hasBegun = useRef(false);
  useEffect(() => {
    // A code is valid once, and React runs effects twice in development.
    if (hasBegun.current) return;
    hasBegun.current = true;
    finishSignIn().then((back) => navigate(back, { replace: true }), setError);
  }, [navigate]);
  return error === undefined ? <Loading /> : <FailureView error={error} />;
}
