# vdsim on the official image of ROS 2 Jazzy. Not run where it was written: there is no Docker there (docs/where-it-runs.md).
#   docker build -t vdsim .
#   docker run --rm -it --network host vdsim
# The dashboard is at 127.0.0.1:8090 of the machine, whose network the container shares: nothing listens beyond loopback.
FROM ros:jazzy-ros-base
RUN apt-get update \
    && apt-get install -y --no-install-recommends build-essential python3-dev python3-venv \
    && rm -rf /var/lib/apt/lists/*
COPY . /vdsim
WORKDIR /vdsim
RUN ./ws build
CMD ["./ws", "ros2", "launch", "vdsim_interface", "vdsim.launch.py"]
