"""`./ws secure DIR`: a security keystore of ROS 2 with an enclave for each role."""
